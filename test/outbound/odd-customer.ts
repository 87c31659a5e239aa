import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { serveHere } from '../setup/serve-here';

/** What the customer does with the n-th connection (from 1) that reaches it. */
export type Behaviour = (socket: Socket, connection: number) => void;
type Certificate = 'good' | 'expired' | 'other-name' | 'self-signed';

const pem = (name: string) => readFileSync(path.join(__dirname, 'certificates', `${name}.pem`), 'utf8');

/** Signed `good`, `expired` (2020-02-01) and `other-name`; not `self-signed`. */
export const AUTHORITY = pem('ca');

/** A real TCP or TLS server on loopback that sends exactly the given bytes. */
export class OddCustomer {
  connections = 0;
  /** The connections on which data arrived. */
  spoken = 0;
  bytes = 0;
  stop!: () => Promise<void>;

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      socket.on('error', () => {});
    });
  }

  static async start(behave: Behaviour, certificate?: Certificate): Promise<OddCustomer> {
    const server = certificate
      ? createTlsServer({ key: pem('key'), cert: pem(certificate) })
      : createServer();
    const customer = new OddCustomer(server, certificate ? 'https' : 'http');
    server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => (customer.spoken += 1));
      socket.on('data', (chunk) => (customer.bytes += chunk.length));
      behave(socket, customer.connections);
    });
    server.on('tlsClientError', () => {});
    customer.stop = (await serveHere(server)).stop;
    return customer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}/feed`;
  }
}

/** Calls back for every whole request of a connection, with its number (from 1). */
export function onRequest(socket: Socket, answer: (request: number) => void): void {
  let received = Buffer.alloc(0);
  let requests = 0;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const head = received.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/.exec(received.subarray(0, head).toString('latin1'))?.[1];
    const end = head + 4 + Number(length ?? 0);
    if (head === -1 || received.length < end) return;
    received = received.subarray(end);
    answer(++requests);
  });
}

/** Answers every request with these bytes. */
export const says =
  (...answer: string[]): Behaviour =>
  (socket) =>
    onRequest(socket, () => socket.write(answer.join('\r\n')));

/** Answers the first request with these bytes and hangs up. */
export const saysAndLeaves =
  (...answer: string[]): Behaviour =>
  (socket) =>
    onRequest(socket, () => socket.end(answer.join('\r\n')));

/** Answers at once, then a byte every 50 ms for ever. */
export const trickles =
  (...answer: string[]): Behaviour =>
  (socket) =>
    onRequest(socket, () => {
      socket.write(answer.join('\r\n'));
      const timer = setInterval(() => socket.write('a'), 50);
      socket.on('close', () => clearInterval(timer));
    });

/** Answers at once, then repeats a chunk as fast as it is taken, until `bytes` are written or nobody listens. */
export const pours =
  (answer: string, chunk: Buffer, bytes = Infinity): Behaviour =>
  (socket) =>
    onRequest(socket, () => {
      socket.write(answer);
      let left = bytes;
      const pour = () => {
        while (left > 0 && !socket.destroyed) {
          left -= chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', pour);
      pour();
    });
