import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAtEnd } from './close-at-end';
import { recordPage } from '../../tools/judge/record-history';

/** One POST that reached the customer. */
export interface ReceivedPage {
  headers: IncomingHttpHeaders;
  body: Buffer;
  entityType: string;
  /** The records without their wrappers. */
  records: Received[];
  meta: {
    current_page: number;
    page_count: number;
    page_size: number;
    total_count: number;
    total_pages: number;
  };
  status: number;
  at: number;
}

export interface Received {
  id: string;
  remote_id: string;
  updated_at: string;
  [field: string]: unknown;
}

/** What the customer answers: a status, or whatever a script makes of the page. */
export type Script = (page: ReceivedPage) => Reply | Promise<Reply>;
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string } | 'hang-up';

const started = new Set<FakeCustomer>();
// Outside of jest, `stop` checks it alone.
if (typeof afterEach === 'function') afterEach(() => started.forEach((one) => one.requireOneAtATime()));

/**
 * A real HTTP server on loopback that plays the customer, and remembers all it was sent. Whoever plays it checks that no
 * two pages of one channel and entity type are in flight at once (docs/contract.md C11).
 */
export class FakeCustomer {
  readonly pages: ReceivedPage[] = [];
  script: Script = () => 200;
  /** Sees each page when it has arrived. */
  arrives: (page: ReceivedPage) => void = () => undefined;
  /** Sees each page before its answer leaves. */
  see: (page: ReceivedPage) => void = () => undefined;
  baseUrl = '';
  /** The scene has several senders to one marker on purpose: workers that are run by hand or frozen. */
  severalSenders = false;
  private readonly server: Server;
  private readonly inFlight = new Map<string, number>();
  private readonly mostInFlight = new Map<string, number>();

  private constructor() {
    this.server = createServer((request, response) => {
      this.countInFlight(request.headers, response);
      const begin = Date.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const page = parsePage(request.headers, Buffer.concat(chunks));
        this.pages.push(page);
        this.arrives(page);
        const reply = await this.script(page);
        page.status = reply === 'hang-up' ? 0 : typeof reply === 'number' ? reply : reply.status;
        this.see(page);
        answer(reply, response);
        recordPage(page.headers, page.body, begin, page.status || null);
      });
    });
  }

  /** @param host an address of the loopback range; each is a host of its own to the service */
  static async start(script?: Script, host = '127.0.0.1'): Promise<FakeCustomer> {
    const customer = new FakeCustomer();
    if (script) customer.script = script;
    customer.baseUrl = `http://${host}`;
    await customer.listen(0);
    started.add(customer);
    closeAtEnd(() => customer.stop());
    return customer;
  }

  async listen(port = Number(new URL(this.baseUrl).port)): Promise<void> {
    const { hostname } = new URL(this.baseUrl);
    await new Promise<void>((done) => this.server.listen(port, hostname, done));
    this.baseUrl = `http://${hostname}:${(this.server.address() as AddressInfo).port}`;
  }

  /** Down: connections are refused until `listen` is called again. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    this.requireOneAtATime();
  }

  /** @throws Error naming what was in flight more than once, once for each time */
  requireOneAtATime(): void {
    const most = [...this.mostInFlight].filter(([, count]) => count > 1);
    this.mostInFlight.clear();
    if (most.length === 0 || this.severalSenders) return;
    throw new Error(`at once in flight: ${most.map(([what, count]) => `${count} of ${what}`).join(', ')}`);
  }

  /** From its headers until it is answered or given up. A test page is not of the feed. */
  private countInFlight(headers: IncomingHttpHeaders, response: ServerResponse): void {
    if (headers['x-gdx-test']) return;
    const what = `${headers['x-channel-slug']} ${headers['x-entity-type']}`;
    const count = (this.inFlight.get(what) ?? 0) + 1;
    this.inFlight.set(what, count);
    this.mostInFlight.set(what, Math.max(count, this.mostInFlight.get(what) ?? 0));
    response.once('close', () => this.inFlight.set(what, this.inFlight.get(what)! - 1));
  }

  /** The pages answered 2xx: those that count as confirmed. */
  confirmed(entityType?: string): ReceivedPage[] {
    return this.pages.filter(
      ({ status, entityType: type }) => status >= 200 && status < 300 && (!entityType || type === entityType),
    );
  }

  /** What the customer holds now, by record id: applied as the customer's guide says, newest `updated_at` wins. */
  holds(entityType: string): Map<string, Received> {
    const held = new Map<string, Received>();
    for (const { records } of this.confirmed(entityType)) {
      for (const record of records) {
        const before = held.get(record.id);
        if (!before || record.updated_at >= before.updated_at) held.set(record.id, record);
      }
    }
    return held;
  }
}

function answer(reply: Reply, response: ServerResponse): void {
  if (reply === 'hang-up') return void response.destroy();
  const { status, headers, body } = typeof reply === 'number' ? { status: reply } : reply;
  response.writeHead(status, headers).end(body);
}

function parsePage(headers: IncomingHttpHeaders, body: Buffer): ReceivedPage {
  const { data, meta } = JSON.parse(body.toString('utf8')) as {
    data: Record<string, Received>[];
    meta: ReceivedPage['meta'];
  };
  const records = data.map((wrapper) => Object.values(wrapper)[0] as Received);
  return {
    headers,
    body,
    records,
    meta,
    entityType: String(headers['x-entity-type']),
    status: 0,
    at: Date.now(),
  };
}
