import dns from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { deniedAddress, deniedHost, type OutboundRule } from '../domain/settings/denied-address';
import { NotTunnelled, openTunnel, type OutboundProxy } from './open-tunnel';
import { watchSocket } from './stale-sockets';
import { TlsSessions } from './tls-sessions';

/** `dns.lookup` with `all: true`. */
export type Resolver = (
  hostname: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** A customer's URL leads to a forbidden address; the message completes "the base URL ...". */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress';
}

export interface Guard {
  rule: OutboundRule;
  connectMs: number;
  /** For tests; the system's certificate authorities by default. */
  ca?: string;
  /** For tests; the system's by default. */
  resolver?: Resolver;
  /** The proxy that all connections go through. */
  proxy?: OutboundProxy | undefined;
}

interface Checked {
  addresses: dns.LookupAddress[];
  /** The time left to connect, in milliseconds. */
  left: number;
}

type Connecting = Parameters<buildConnector.connector>;

/**
 * Opens connections for undici, each checked three times (docs/decisions/0010): the host, if it is an address; every
 * address that a name resolves to; and the connected address, before the first byte is sent, TLS included.
 */
export function guardedConnector(guard: Guard): buildConnector.connector {
  const { rule, connectMs } = guard;
  const connect = guard.proxy ? openThrough(guard, guard.proxy) : openTo(guard);
  const lookUp = sharedLookups(guard.resolver ?? dns.lookup);
  return (target, done) => {
    const problem = deniedHost(target.hostname, rule);
    if (problem) return queueMicrotask(() => done(new BlockedAddress(problem), null));
    const begun = performance.now();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      done(new errors.ConnectTimeoutError(), null);
    }, connectMs);
    lookUp(target.hostname, { all: true }, (error, addresses) => {
      if (isLate) return;
      clearTimeout(late);
      const wrong = error ?? problemOf(addresses, rule);
      if (wrong) return done(wrong, null);
      const left = Math.max(1, connectMs - (performance.now() - begun));
      connect({ addresses, left }, target, done);
    });
  };
}

function problemOf(addresses: dns.LookupAddress[], rule: OutboundRule): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no address'), { code: dns.NOTFOUND });
  const [problem] = addresses.flatMap(({ address }) => deniedAddress(address, rule) ?? []);
  return problem === undefined ? undefined : new BlockedAddress(problem);
}

/**
 * Connects to the first address that accepts. The addresses share the time that is left: Node would give each
 * but the last one 250 ms.
 */
function openTo(guard: Guard) {
  const connect = watchedConnector(guard);
  return ({ addresses, left }: Checked, ...connecting: Connecting): void => {
    const options = {
      timeout: left,
      autoSelectFamilyAttemptTimeout: Math.ceil(left / addresses.length),
      lookup: known(addresses),
    };
    const socket = connect(options, ...connecting);
    // This runs before the listener that begins the TLS handshake.
    socket.prependOnceListener('connect', () => {
      const reached = deniedAddress(socket.remoteAddress ?? 'nowhere', guard.rule);
      if (reached) socket.destroy(new BlockedAddress(reached));
    });
  };
}

/** The same through a proxy, which is told to connect to an address that was checked, never to a name. */
function openThrough(guard: Guard, proxy: OutboundProxy) {
  const connect = watchedConnector(guard);
  return ({ addresses, left }: Checked, ...[target, done]: Connecting): void => {
    const until = performance.now() + left;
    void tunnelTo(proxy, { addresses, until, rule: guard.rule }, target).then(
      (tunnel) => {
        if (target.protocol !== 'https:') {
          watchSocket(tunnel);
          return done(null, tunnel);
        }
        connect({ timeout: Math.max(1, until - performance.now()) }, { ...target, httpSocket: tunnel }, done);
      },
      (error: Error) => done(error, null),
    );
  };
}

async function tunnelTo(
  proxy: OutboundProxy,
  { addresses, until, rule }: { addresses: dns.LookupAddress[]; until: number; rule: OutboundRule },
  { port, protocol }: Connecting[0],
): Promise<Socket> {
  const to = Number(port) || (protocol === 'https:' ? 443 : 80);
  for (let index = 0; ; index += 1) {
    const { address } = addresses[index]!;
    const problem = deniedAddress(address, rule);
    if (problem) throw new BlockedAddress(problem);
    const left = Math.max(1, (until - performance.now()) / (addresses.length - index));
    try {
      return await openTunnel(proxy, { address, port: to }, left);
    } catch (error) {
      const isTried = error instanceof NotTunnelled || error instanceof errors.ConnectTimeoutError;
      if (!isTried || index === addresses.length - 1) throw error;
    }
  }
}

/** undici's own connector, with kept TLS sessions. */
function watchedConnector({ ca }: Guard) {
  const sessions = new TlsSessions();
  return (options: buildConnector.BuildOptions, ...[target, done]: Connecting): Socket => {
    const connect = buildConnector({
      ...sessions.optionsFor(target),
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      ...options,
    });
    // undici's connector returns the socket, although its types do not say so.
    const socket = connect(target, done) as unknown as Socket;
    sessions.keep(target, socket);
    watchSocket(socket);
    return socket;
  };
}

const known =
  (addresses: dns.LookupAddress[]): LookupFunction =>
  (_hostname, { all }, done) => {
    const [{ address, family }] = addresses as [dns.LookupAddress];
    if (all) done(null, addresses);
    else done(null, address, family);
  };

/**
 * Concurrent look-ups of a name share one answer. While a name server is silent, each look-up occupies one of
 * the few threads that all look-ups of the process share, and none can be cancelled.
 */
function sharedLookups(resolve: Resolver): Resolver {
  const underWay = new Map<string, Parameters<Resolver>[2][]>();
  return (hostname, options, done) => {
    const waiting = underWay.get(hostname);
    if (waiting) return void waiting.push(done);
    const all = [done];
    underWay.set(hostname, all);
    resolve(hostname, options, (error, addresses) => {
      underWay.delete(hostname);
      for (const one of all) one(error, addresses);
    });
  };
}
