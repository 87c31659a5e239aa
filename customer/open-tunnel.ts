import { connect, type Socket } from 'node:net';
import { errors } from 'undici';

/** A proxy that the operator has set; its credentials may be in the URL. */
export type OutboundProxy = URL;

/** The operator's proxy is away, or does not serve us. This says nothing of the customer. */
export class ProxyAway extends Error {
  override name = 'ProxyAway';
}

/** The proxy could not reach the address. */
export class NotTunnelled extends Error {
  override name = 'NotTunnelled';
}

const MOST_BYTES = 16 * 1024;
// With these statuses the proxy forbids the request, or does not know us.
const OURS = [400, 401, 403, 405, 407, 501];

/**
 * Opens a connection through the proxy, by CONNECT to an address and never to a name, so that the proxy
 * connects to what was checked.
 * @throws ProxyAway, NotTunnelled, ConnectTimeoutError
 */
export function openTunnel(
  proxy: OutboundProxy,
  { address, port }: { address: string; port: number },
  timeoutMs: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port) || 80 });
    const late = setTimeout(() => fail(new errors.ConnectTimeoutError()), timeoutMs);
    const end = () => {
      clearTimeout(late);
      socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('close');
    };
    const fail = (error: Error) => {
      end();
      socket.on('error', () => {}).destroy();
      reject(error);
    };
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      fail(new ProxyAway(`the outbound proxy: ${code}`)),
    );
    socket.on('close', () => fail(new ProxyAway('the outbound proxy closed the connection')));
    socket.on('connect', () => socket.write(requestTo(proxy, address, port)));
    let answer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1 && answer.length <= MOST_BYTES) return;
      const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(answer.toString('latin1'))?.[1] ?? NaN);
      if (head === -1 || !(status >= 200 && status < 300)) return fail(refusal(status));
      end();
      socket.pause();
      if (answer.length > head + 4) socket.unshift(answer.subarray(head + 4));
      resolve(socket);
    });
  });
}

function requestTo({ username, password }: OutboundProxy, address: string, port: number): string {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const known = username && `Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${known}\r\n`;
}

const refusal = (status: number) =>
  Number.isNaN(status) || OURS.includes(status)
    ? new ProxyAway(`the outbound proxy answered ${Number.isNaN(status) ? 'no HTTP' : status} to CONNECT`)
    : new NotTunnelled(`could not be reached through the outbound proxy (${status})`);
