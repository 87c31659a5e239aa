import { Erp } from '../faults/erp';
import { missing, repeatedPages } from '../faults/held';
import { runProgram } from '../setup/own-namespace';
import { eventually } from '../setup/eventually';
import { FakeCustomer } from '../setup/fake-customer';
import type { Stack } from './stack';

/** The customer's, which stays where the networks of containers go and come. */
const ADDRESS = '10.99.0.1';
const API = 'http://127.0.0.1:3000';
const SETTLE_MS = 300_000;

/** ERPs that push to the published port while a customer is fed. */
export class Load {
  private readonly over = new AbortController();
  private readonly pushing: Promise<unknown>;
  private readonly interruptions: { what: string; at: number }[] = [];

  private constructor(
    private readonly erps: Erp[],
    private readonly customer: FakeCustomer,
  ) {
    this.pushing = Promise.all(erps.map((erp) => erp.pushUntil(this.over.signal)));
  }

  static async begin(stack: Stack): Promise<Load> {
    const link = ['ip', 'address', 'add', `${ADDRESS}/32`, 'dev', 'lo'];
    runProgram(link, 'the `ip` program cannot set up the customer’s address');
    const customer = await FakeCustomer.start(undefined, ADDRESS);
    const company = ['--company-id', '43', '--company', 'Load Co-op'];
    const { token } = stack.gdx<{ token: string }>('integration', 'add', ...company);
    const pace = ['--cadence', '2s', '--page-size', '20'];
    stack.gdx(
      'channel',
      'add',
      'load',
      '--name',
      'Load',
      '--base-url',
      customer.baseUrl,
      '--company',
      '43',
      ...pace,
    );
    const erps = ['erp-1', 'erp-2'].map((name) => new Erp(name, token, [API]));
    return new Load(erps, customer);
  }

  /** Waits until pages arrive again, of what is pushed from now on. */
  async flows(): Promise<string> {
    const [pages, pushes] = [this.customer.confirmed().length, this.acknowledged()];
    await eventually(() => {
      // more than may have been under way
      if (this.acknowledged() < pushes + 3 || this.customer.confirmed().length < pages + 2)
        throw new Error(
          `${this.acknowledged() - pushes} pushes and ${this.customer.confirmed().length - pages} pages since`,
        );
    }, SETTLE_MS);
    return 'they do';
  }

  /** Ends the pushing and compares what was acknowledged with what the customer holds. */
  async settle(): Promise<string> {
    this.over.abort();
    await this.pushing;
    const due = new Map(this.erps.flatMap(({ acknowledged }) => [...acknowledged]));
    const lost = () => missing(due, this.customer).length;
    await eventually(() => {
      if (lost() > 0) throw new Error(`${lost()} records are not there yet`);
    }, SETTLE_MS).catch(() => undefined);
    await this.customer.stop();
    const failed = this.erps.flatMap((erp) => erp.failed);
    const repeated = this.repeatedAfter();
    const tooMany = repeated.filter(
      (each, index) => repeated.indexOf(each) < index || each.endsWith('nothing'),
    );
    const came = [
      `${this.acknowledged()} records acknowledged, lost ${lost()}`,
      `of ${this.customer.confirmed().length} pages in ${this.interruptions.length} interruptions repeated ${repeated.length}`,
    ].join('; ');
    if (tooMany.length > 0) throw new Error(`${came}; more than one of ${tooMany.join(', ')}`);
    if (lost() > 0 || failed.length > 0) throw new Error(`${came} ${failed.join()}`);
    return came;
  }

  /** One page of each entity type is on its way at most, so an interruption may have as many come twice. */
  interrupted(what: string): void {
    this.interruptions.push({ what, at: Date.now() });
  }

  private repeatedAfter(): string[] {
    return repeatedPages(this.customer).map(({ entityType, at }) => {
      const cause = this.interruptions.findLast((each) => each.at <= at);
      return `${entityType} after ${cause?.what ?? 'nothing'}`;
    });
  }

  private acknowledged(): number {
    return this.erps.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }
}
