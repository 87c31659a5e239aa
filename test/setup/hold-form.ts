import type { Server } from 'node:http';
import { connect } from 'node:net';
import { bodyWanted } from './body-wanted';

/**
 * A form whose first bytes are sent, and the rest only when the returned function is called: what the service looked up
 * before it wants them is old by then. @returns the answer as it comes over the wire
 */
export async function holdForm(
  { server, port }: { server: Server; port: number },
  path: string,
  { cookie, form }: { cookie: string | undefined; form: Record<string, string> },
): Promise<() => Promise<string>> {
  const body = new URLSearchParams(form).toString();
  const wanted = bodyWanted(server);
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Cookie: ${cookie ?? ''}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 4)}`);
  await wanted;
  return async () => {
    socket.write(body.slice(4));
    await new Promise((closed) => socket.once('close', closed));
    return answer;
  };
}
