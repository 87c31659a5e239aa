import { msUntil } from '../../domain/time/elapsed';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { checkBaseUrl } from '../../domain/settings/base-url';
import type { Guard } from '../../outbound/guarded-connector';
import { tlsErrorKind } from '../../domain/settings/tls-error';
import type { Channel } from '../../store/channels/channels';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';
import { DAY_MS } from '../../domain/time/spans';

const TIMEOUT_MS = 5_000;
const RENEW_DAYS = 14;

/** Looks the customer's host name up, connects to it as for a page and checks its certificate. It sends no request. */
export async function reachCustomer(
  channel: Channel,
  guard: Pick<Guard, 'rule' | 'proxy' | 'ca'>,
): Promise<DoctorFinding> {
  const part = `customer ${channel._id}`;
  if (channel.delivery === 'pull') return ok(part, 'collects its pages itself');
  const newUrl = `\`gdx channel set ${channel._id} --base-url ...\``;
  const checked = checkBaseUrl(channel.base_url, guard.rule);
  if ('problem' in checked) return fail(part, `the base URL ${checked.problem}`, newUrl);
  const url = new URL(checked.baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolve(host);
  if (addresses.length === 0) return fail(part, `${host} does not resolve`, `ask the customer, or ${newUrl}`);
  const { BlockedAddress, guardedConnector } = await import('../../outbound/guarded-connector.js');
  const { ProxyAway } = await import('../../outbound/open-tunnel.js');
  const secure = url.protocol === 'https:';
  const port = url.port || (secure ? '443' : '80');
  const connect = guardedConnector({
    ...guard,
    connectMs: TIMEOUT_MS,
    resolver: (_name, _options, done) => done(null, addresses),
  });
  try {
    const socket = await new Promise<Socket>((done, failed) =>
      connect({ hostname: host, host: url.host, protocol: url.protocol, port }, (error, opened) =>
        error ? failed(error) : done(opened!),
      ),
    );
    const ends = secure ? (socket as TLSSocket).getPeerCertificate().valid_to : undefined;
    socket.destroy();
    return secure ? ofCertificate(part, port, ends) : ok(part, `takes connections on port ${port}`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof BlockedAddress) return fail(part, `the base URL ${message}`, newUrl);
    if (error instanceof ProxyAway) return fail(part, message, 'check GDX_OUTBOUND_PROXY');
    const why =
      code === 'UND_ERR_CONNECT_TIMEOUT' ? `no answer in ${TIMEOUT_MS / 1_000} s` : (code ?? message);
    const [finding, fix] = REFUSED[tlsErrorKind(why) ?? 'connection'](host);
    return fail(part, `${finding} (${why})`, fix);
  }
}

function ofCertificate(part: string, port: string, ends: string | undefined): DoctorFinding {
  const days = Math.floor(msUntil(new Date(ends ?? '')) / DAY_MS);
  if (days >= RENEW_DAYS)
    return ok(part, `takes connections on port ${port}, certificate good for ${days} days`);
  return warn(part, `its certificate ends in ${days} days`, 'remind the customer to renew it');
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

async function resolve(host: string): Promise<LookupAddress[]> {
  const late = new Promise<never[]>((end) => setTimeout(end, TIMEOUT_MS, []).unref());
  return Promise.race([lookup(host, { all: true }).catch(() => []), late]);
}
