import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How a page of an entity type is answered. */
export interface Treatment {
  status: number;
  delayMs?: number;
}

/** A customer in the bench's own process, which says when a page arrives. Channels are told apart by their path. */
export class BenchCustomer {
  baseUrl = '';
  treat: (entityType: string) => Treatment = () => ({ status: 200 });
  /** Pages that it has answered 200. */
  pages = 0;
  private readonly awaited = new Map<string, () => void>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const { 'x-channel-slug': slug, 'x-entity-type': type } = request.headers;
      const key = `${String(slug)}/${String(type)}`;
      this.awaited.get(key)?.();
      this.awaited.delete(key);
      request.resume().on('end', async () => {
        const { status, delayMs } = this.treat(String(type));
        if (delayMs) await setTimeout(delayMs);
        if (status === 200) this.pages += 1;
        response.writeHead(status).end();
      });
    });
  }

  static async start(): Promise<BenchCustomer> {
    const customer = new BenchCustomer();
    await new Promise<void>((done) => customer.server.listen(0, '127.0.0.1', done));
    customer.baseUrl = `http://127.0.0.1:${(customer.server.address() as AddressInfo).port}`;
    return customer;
  }

  /** Resolves when the next page of this channel and type begins to arrive. */
  nextPage(slug: string, entityType: string): Promise<void> {
    return new Promise((arrived) => this.awaited.set(`${slug}/${entityType}`, arrived));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
