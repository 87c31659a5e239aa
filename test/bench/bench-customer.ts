import { createServer, type Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { serveHere } from '../setup/serve-here';

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
    customer.baseUrl = (await serveHere(customer.server)).url;
    return customer;
  }

  /** Resolves when the next page of this channel and type begins to arrive. */
  nextPage(slug: string, entityType: string): Promise<void> {
    return new Promise((arrived) => this.awaited.set(`${slug}/${entityType}`, arrived));
  }
}
