import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A real proxy for CONNECT; what it was asked, head by head. @param knows addresses of names that it alone knows @param interim said before it takes one */
export async function startProxy(
  answer: (authority: string) => string | undefined = () => undefined,
  knows: Record<string, string> = {},
  interim = '',
) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
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
      sockets.add(to.on('error', () => socket.destroy()));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    port,
    url: new URL(`http://gdx:pass%3Aword@127.0.0.1:${port}`),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
