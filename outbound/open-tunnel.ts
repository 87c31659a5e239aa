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
// All of an interim answer, which is none (RFC 9110, 15.2).
const INTERIM = /^HTTP\/1\.[01] 1\d\d\b[^]*?\r\n\r\n/;
// With these the proxy says that it has not reached the address, and so does a 503 that names the cause. With all others it
// forbids the request, does not know us, or has trouble of its own.
const NOT_REACHED = [500, 502, 504];
// Squid's words, and those of RFC 9209.
const NAMES_THE_CAUSE =
  /^(?:x-squid-error:[ \t]*ERR_(?:CONNECT_FAIL|DNS_FAIL|READ_TIMEOUT|CANNOT_FORWARD)|proxy-status:.*\berror=["]?(?:dns_|destination_|connection_(?:refused|terminated|timeout)))/im;

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
    let [answer, received]: [Buffer, number] = [Buffer.alloc(0), 0];
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      answer = withoutInterim(Buffer.concat([answer, chunk]));
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1 && received <= MOST_BYTES) return;
      const said = answer.toString('latin1', 0, head === -1 ? undefined : head);
      const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(said)?.[1] ?? NaN);
      if (head === -1 || !(status >= 200 && status < 300)) return fail(refusal(status, said));
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

function withoutInterim(answer: Buffer): Buffer {
  const interim = INTERIM.exec(answer.toString('latin1'));
  return interim ? withoutInterim(answer.subarray(interim[0].length)) : answer;
}

function refusal(status: number, said: string): Error {
  const isOfAddress = NOT_REACHED.includes(status) || (status === 503 && NAMES_THE_CAUSE.test(said));
  return isOfAddress
    ? new NotTunnelled(`could not be reached through the outbound proxy (${status})`)
    : new ProxyAway(`the outbound proxy answered ${Number.isNaN(status) ? 'no HTTP' : status} to CONNECT`);
}
