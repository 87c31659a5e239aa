import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { checkout } from '../deploy/local/checkout';
import type { EntityType } from '../domain/entity-types';
import type { News, Order, PageSeen, Report } from './customer-messages';

/** The demo's end of the line to its customer. */
export class CustomerProcess {
  /** Every page it was sent, in order. */
  readonly pages: PageSeen[] = [];
  baseUrl = '';
  private readonly exit: Promise<unknown[]>;
  private readonly news = new EventEmitter();

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    this.exit = once(child, 'exit');
    child.on('message', (message: News) => {
      if ('seen' in message) this.pages.push(message.seen);
      this.news.emit(Object.keys(message)[0]!, Object.values(message)[0]);
    });
  }

  static async start(name: string): Promise<CustomerProcess> {
    const main = path.join(checkout, 'dist', 'demo', 'customer.js');
    const customer = new CustomerProcess(name, fork(main, [name]));
    const [port] = (await once(customer.news, 'port')) as [number];
    customer.baseUrl = `http://127.0.0.1:${port}`;
    return customer;
  }

  /** Resolves with the reason when the process is gone. */
  async gone(): Promise<string> {
    const [code, signal] = await this.exit;
    return `${signal ?? `exit code ${code}`}`;
  }

  async trust(signingSecret: string, authorization: string): Promise<void> {
    await this.order({ do: 'trust', signingSecret, authorization });
  }

  async goDown(): Promise<void> {
    await this.order({ do: 'go down' });
  }

  async comeUp(): Promise<void> {
    await this.order({ do: 'come up' });
  }

  async lose(entity_type: EntityType, since: string): Promise<void> {
    await this.order({ do: 'lose', entity_type, since });
  }

  async report(): Promise<Report> {
    return (await this.order({ do: 'report' })) as Report;
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

  async stop(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await this.exit;
  }

  private async order(order: Order): Promise<Report | null> {
    const done = once(this.news, 'done');
    this.child.send(order);
    const [answer] = (await done) as [Report | null];
    return answer;
  }
}

export const recordsOf = (pages: PageSeen[]) => pages.reduce((sum, { records }) => sum + records, 0);
