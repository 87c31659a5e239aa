import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { checkBaseUrl } from '../../domain/base-url';
import { deniedAddress, type OutboundRule } from '../../domain/denied-address';
import { tlsErrorKind } from '../../domain/tls-error';
import type { Channel } from '../../store/channels/channels';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';
import { DAY_MS } from '../../domain/spans';

const TIMEOUT_MS = 5_000;
const RENEW_DAYS = 14;

/** Looks the customer's host name up, connects to it as for a page and checks its certificate. It sends no request. */
export async function reachCustomer(
  channel: Channel,
  rule: OutboundRule,
  proxy?: URL,
): Promise<DoctorFinding> {
  const part = `customer ${channel._id}`;
  if (channel.delivery === 'pull') return ok(part, 'collects its pages itself');
  const newUrl = `\`gdx channel set ${channel._id} --base-url ...\``;
  const checked = checkBaseUrl(channel.base_url, rule);
  if ('problem' in checked) return fail(part, `the base URL ${checked.problem}`, newUrl);
  const { protocol, hostname, port } = new URL(checked.baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolve(host);
  if (addresses.length === 0) return fail(part, `${host} does not resolve`, `ask the customer, or ${newUrl}`);
  const denied = addresses.map((address) => deniedAddress(address, rule)).find(Boolean);
  if (denied) return fail(part, `the base URL ${denied}`, newUrl);
  const secure = protocol === 'https:';
  try {
    const at = { host: addresses[0]!, port: Number(port || (secure ? 443 : 80)) };
    const { openTunnel } = await import('../../customer/open-tunnel.js');
    const tunnel = proxy && (await openTunnel(proxy, { address: at.host, port: at.port }, TIMEOUT_MS));
    return secure ? await checkTls(part, at, host, tunnel) : await checkTcp(part, at, tunnel);
  } catch (error) {
    if ((error as Error).name === 'ProxyAway')
      return fail(part, (error as Error).message, 'check GDX_OUTBOUND_PROXY');
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code ?? message;
    const [finding, fix] = REFUSED[tlsErrorKind(why) ?? 'connection'](host);
    return fail(part, `${finding} (${why})`, fix);
  }
}

const REFUSED: Record<'connection' | 'handshake' | 'certificate', (host: string) => [string, string]> = {
  connection: (host) => [
    `${host} does not take connections`,
    'ask the customer whether it is down, or keeps us out',
  ],
  handshake: (host) => [`${host} does not speak TLS as it should`, 'ask the customer for TLS 1.2 or 1.3'],
  certificate: (host) => [
    `the certificate of ${host} does not hold`,
    'ask the customer to renew it, for this name and with its whole chain',
  ],
};

async function resolve(host: string): Promise<string[]> {
  const late = new Promise<never[]>((end) => setTimeout(end, TIMEOUT_MS, []).unref());
  const found = lookup(host, { all: true }).then((all) => all.map(({ address }) => address));
  return Promise.race([found.catch(() => []), late]);
}

type Address = { host: string; port: number };

async function checkTcp(part: string, at: Address, tunnel?: Socket): Promise<DoctorFinding> {
  if (tunnel) tunnel.destroy();
  else await opened(connect(at), 'connect', () => undefined);
  return ok(part, `takes connections on port ${at.port}`);
}

async function checkTls(part: string, at: Address, name: string, tunnel?: Socket): Promise<DoctorFinding> {
  const socket = connectTls({
    ...(tunnel ? { socket: tunnel } : at),
    ...(isIP(name) ? {} : { servername: name }),
  });
  const ends = await opened(
    socket,
    'secureConnect',
    (secured) => (secured as TLSSocket).getPeerCertificate().valid_to,
  );
  const days = Math.floor((Date.parse(ends ?? '') - Date.now()) / DAY_MS);
  if (days >= RENEW_DAYS)
    return ok(part, `takes connections on port ${at.port}, certificate good for ${days} days`);
  return warn(part, `its certificate ends in ${days} days`, 'remind the customer to renew it');
}

function opened<T>(socket: Socket, event: string, read: (socket: Socket) => T): Promise<T> {
  return new Promise<T>((done, failed) => {
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer in ${TIMEOUT_MS / 1_000} s`)));
    socket.once('error', failed);
    socket.once(event, () => done(read(socket)));
  }).finally(() => socket.destroy());
}
