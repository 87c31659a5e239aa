import { connect, createServer, type Server } from 'node:net';
import { serveHere } from './serve-here';

/** A real proxy for CONNECT; what it was asked, head by head. @param knows addresses of names that it alone knows @param interim said before it takes one */
export async function startProxy(
  answer: (authority: string) => string | undefined = () => undefined,
  knows: Record<string, string> = {},
  interim = '',
) {
  const asked: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    let head = '';
    socket.on('data', function read(chunk: Buffer) {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read).pause();
      asked.push(head);
      const [, host, port] = /^CONNECT \[?([^\]]+?)\]?:(\d+) HTTP\/1\.1\r\n/.exec(head)!;
      const refusal = answer(`${host}:${port}`);
      if (refusal !== undefined) return void socket.end(refusal);
      const to = connect(Number(port), knows[host!] ?? host, () => {
        socket.write(`${interim}HTTP/1.1 200 Connection established\r\n\r\n`);
        socket.pipe(to).pipe(socket);
        socket.resume();
      });
      to.on('error', () => socket.destroy());
      socket.once('close', () => to.destroy());
    });
  });
  const { port, stop } = await serveHere(server);
  return {
    asked,
    port,
    url: new URL(`http://gdx:pass%3Aword@127.0.0.1:${port}`),
    stop,
  };
}
