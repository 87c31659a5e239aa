import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

// Long enough for what is checked before the body is read.
const HEAD_START_MS = 1_000;

/**
 * A form whose first bytes are sent, and the rest only when the returned function is called: what the service looked up
 * before it is old by then. @returns the answer as it comes over the wire
 */
export async function holdForm(
  port: number,
  path: string,
  { cookie, form }: { cookie: string | undefined; form: Record<string, string> },
): Promise<() => Promise<string>> {
  const body = new URLSearchParams(form).toString();
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
  await setTimeout(HEAD_START_MS);
  return async () => {
    socket.write(body.slice(4));
    await new Promise((closed) => socket.once('close', closed));
    return answer;
  };
}
