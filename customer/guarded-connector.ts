import dns from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { deniedAddress, deniedHost, type OutboundRule } from '../domain/denied-address';
import { watchSocket } from './stale-sockets';

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

/**
 * Opens connections for undici, each checked three times (docs/decisions/0010): the host, if it is an address; every
 * address that a name resolves to; and the connected address, before the first byte is sent, TLS included.
 */
export function guardedConnector({
  rule,
  connectMs,
  ca,
  resolver = dns.lookup,
}: {
  rule: OutboundRule;
  connectMs: number;
  ca?: string;
  resolver?: Resolver;
}): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectMs,
    lookup: guardedLookup(rule, resolver),
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, done) => {
    const problem = deniedHost(target.hostname, rule);
    if (problem) return queueMicrotask(() => done(new BlockedAddress(problem), null));
    // It returns the socket, although its types do not say so.
    const socket = connect(target, done) as unknown as Socket;
    // Before the listener that begins the TLS handshake.
    socket.prependOnceListener('connect', () => {
      const reached = deniedAddress(socket.remoteAddress ?? 'nowhere', rule);
      if (reached) socket.destroy(new BlockedAddress(reached));
    });
    watchSocket(socket);
  };
}

/**
 * Look-ups of a name while it is being looked up share the answer: of a silent name server each would hold a thread that all
 * look-ups of the process share, and none can be cancelled.
 */
function sharedLookups(resolve: Resolver): Resolver {
  const underWay = new Map<string, Parameters<Resolver>[2][]>();
  return (hostname, options, done) => {
    const key = JSON.stringify([hostname, options]);
    const waiting = underWay.get(key);
    if (waiting) return void waiting.push(done);
    const all = [done];
    underWay.set(key, all);
    resolve(hostname, options, (error, addresses) => {
      underWay.delete(key);
      for (const one of all) one(error, addresses);
    });
  };
}

function guardedLookup(rule: OutboundRule, resolve: Resolver): LookupFunction {
  const lookUp = sharedLookups(resolve);
  return (hostname, options, done) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const [first] = addresses;
      if (!first) return done(Object.assign(new Error('no address'), { code: dns.NOTFOUND }), []);
      for (const { address } of addresses) {
        const problem = deniedAddress(address, rule);
        if (problem) return done(new BlockedAddress(problem), []);
      }
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}
