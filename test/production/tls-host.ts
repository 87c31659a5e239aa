import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { closeAtEnd } from '../setup/close-at-end';
import { PUBLIC_ADDRESS } from './own-network';

const certificate = (name: string) => path.join(__dirname, 'certificates', `${name}.pem`);

/** Signed `customer.pem`; not `stranger.pem`, which signed itself. For NODE_EXTRA_CA_CERTS. */
export const AUTHORITY_FILE = certificate('authority');

/** A request as it came out of TLS. */
export interface Heard {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  protocol: string | null;
}

/** A real HTTPS server on the public address: whoever asks gets 200, and is remembered. */
export class TlsHost {
  readonly heard: Heard[] = [];
  /** Connections, those included that ended in the handshake. */
  connections = 0;
  answerAfterMs = 0;

  private constructor(
    readonly url: string,
    server: Server,
  ) {
    server.on('connection', () => (this.connections += 1));
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { url: path = '', headers } = request;
      const protocol = (request.socket as TLSSocket).getProtocol();
      this.heard.push({ path, headers, body: Buffer.concat(chunks).toString('utf8'), protocol });
      await setTimeout(this.answerAfterMs);
      response.writeHead(200).end();
    });
  }

  static async listen(port: number, name: 'customer' | 'stranger'): Promise<TlsHost> {
    const [key, cert] = [certificate('key'), certificate(name)].map((file) => readFileSync(file));
    const server = createServer({ key, cert });
    await new Promise<void>((done) => server.listen(port, PUBLIC_ADDRESS, done));
    closeAtEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return new TlsHost(`https://${PUBLIC_ADDRESS}:${port}`, server);
  }

  at(path: string): Heard[] {
    return this.heard.filter((one) => one.path === path);
  }
}
