import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { count } from '../../domain/records/count';
import { recordPage } from '../judge/record-history';
import type { EntityType } from '../../domain/records/entity-types';
import { CustomerRecords, type HeldRecord } from './customer-records';
import { green, red, say } from './terminal';

interface Page {
  data: Record<string, HeldRecord>[];
  meta: { current_page: number; total_pages: number; page_count: number };
}

/** One page, as the customer saw it. */
interface PageSeen {
  entity_type: EntityType;
  page: number;
  pages: number;
  records: number;
  status: number;
}

interface Secrets {
  signingSecret: string;
  authorization: string;
}

/** A customer's system: takes pages on loopback as the customer's guide says. */
export class DemoCustomer {
  /** Every page it was sent, in order. */
  readonly pages: PageSeen[] = [];
  readonly signatures = { verified: 0, wrong: 0 };
  readonly records = new CustomerRecords();
  trust!: (secrets: Secrets) => void;
  private readonly trusted = new Promise<Secrets>((resolve) => (this.trust = resolve));
  private readonly news = new EventEmitter();
  private readonly server = createServer((request, response) => {
    this.take(request, response).catch(() => response.destroy());
  });
  private port = 0;

  constructor(readonly name: string) {}

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async comeUp(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    ({ port: this.port } = this.server.address() as AddressInfo);
  }

  /** Connections are refused until it comes up again. */
  goDown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Waits until so many records have come in pages after the first `after` ones. @returns those pages */
  async receives(records: number, after: number, timeoutMs: number): Promise<PageSeen[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    const since = () => this.pages.slice(after);
    while (recordsOf(since()) < records) {
      await once(this.news, 'seen', { signal }).catch(() => {
        throw new Error(
          `the customer got ${recordsOf(since())} of ${records} records within ${timeoutMs / 1_000} s`,
        );
      });
    }
    return since();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = Date.now();
    const type = String(request.headers['x-entity-type']) as EntityType;
    const body = await buffer(request);
    const page = this.verified(body, request, await this.trusted);
    const records = page?.data.map((wrapper) => Object.values(wrapper)[0]!) ?? [];
    this.records.apply(type, records);
    response.writeHead(page ? 204 : 401).end();
    recordPage(request.headers, body, began, response.statusCode);
    const { current_page = 0, total_pages = 0 } = page?.meta ?? {};
    const seen = { entity_type: type, page: current_page, pages: total_pages, records: records.length };
    this.pages.push({ ...seen, status: response.statusCode });
    this.show(this.pages.at(-1)!, Date.now() - began);
    this.news.emit('seen');
  }

  /** The page if its signature, its key and its own count of records hold. */
  private verified(body: Buffer, { headers }: IncomingMessage, secrets: Secrets): Page | undefined {
    try {
      const page = new Webhook(secrets.signingSecret).verify(body, headers as Record<string, string>) as Page;
      if (headers.authorization !== secrets.authorization) throw new Error('another key');
      if (page.meta.page_count !== page.data.length) throw new Error('another number of records');
      this.signatures.verified += 1;
      return page;
    } catch {
      this.signatures.wrong += 1;
      return undefined;
    }
  }

  private show({ entity_type, page, pages, records, status }: PageSeen, ms: number): void {
    const what = `${entity_type.padEnd(11)} page ${page} of ${pages}  ${count(records, 'record').padStart(13)}`;
    const holds = status === 204 ? green('signature holds') : red('signature or key wrong');
    say(`   ${this.name} <- ${what}  answered ${status} in ${String(ms).padStart(3)} ms  ${holds}`);
  }
}

export const recordsOf = (pages: PageSeen[]) => pages.reduce((sum, { records }) => sum + records, 0);
