import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

const MOST_SESSIONS = 1_000;

/**
 * TLS sessions by name, so that the next connection needs no full handshake. A session is kept only once the
 * certificate was checked against the name, as Node does this in a full handshake but not when a session is
 * resumed.
 */
export class TlsSessions {
  private readonly kept = new Map<string, Buffer>();

  optionsFor(target: buildConnector.Options): { session?: Buffer; maxCachedSessions: number } {
    const session = this.kept.get(keyOf(target));
    return { maxCachedSessions: 0, ...(session && { session }) };
  }

  keep(target: buildConnector.Options, socket: Socket): void {
    if (target.protocol !== 'https:') return;
    const tls = socket as TLSSocket;
    const keep = (session: Buffer | undefined) => {
      if (!session) return;
      this.kept.delete(keyOf(target));
      this.kept.set(keyOf(target), session);
      if (this.kept.size > MOST_SESSIONS) this.kept.delete(this.kept.keys().next().value!);
    };
    tls.once('secureConnect', () => {
      keep(tls.getSession());
      tls.on('session', keep);
    });
  }
}

const keyOf = ({ hostname, port }: buildConnector.Options) => `${hostname}:${port}`;
