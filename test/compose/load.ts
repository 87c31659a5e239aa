import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Erp } from '../faults/erp';
import { missing, repeatedPages } from '../faults/held';
import { runProgram } from '../setup/own-namespace';
import { eventually } from '../setup/eventually';
import { FakeCustomer } from '../setup/fake-customer';
import type { Stack } from './stack';

/** The customer's, which stays where the networks of containers go and come. */
const ADDRESS = '10.99.0.1';
const API = 'http://127.0.0.1:3000';
// So that there mostly is a page in flight when something is interrupted.
const PAGE_MS = 500;
const SETTLE_MS = 300_000;
// A page that is answered after 30 s is posted again, and the worker is not to blame for it.
const STANDS_STILL_MS = 10_000;

interface Interruption {
  what: string;
  /** How many pages of an entity type may come twice after it. */
  mayRepeat: 0 | 1;
  at: number;
}

const NOTHING = { what: 'nothing', mayRepeat: 0 };

/** ERPs that push to the published port while a customer is fed. */
export class Load {
  private readonly over = new AbortController();
  private readonly pushing: Promise<unknown>;
  private readonly interruptions: Interruption[] = [];
  /** Of this process, in which the customer answers and the ERPs push. */
  private readonly delay = monitorEventLoopDelay({ resolution: 100 });

  private constructor(
    private readonly erps: Erp[],
    private readonly customer: FakeCustomer,
  ) {
    this.delay.enable();
    this.pushing = Promise.all(erps.map((erp) => erp.pushUntil(this.over.signal)));
  }

  static async begin(stack: Stack): Promise<Load> {
    const link = ['ip', 'address', 'add', `${ADDRESS}/32`, 'dev', 'lo'];
    runProgram(link, 'the `ip` program cannot set up the customer’s address');
    const customer = await FakeCustomer.start(() => setTimeout(PAGE_MS, 200), ADDRESS);
    const company = ['--company-id', '43', '--company', 'Load Co-op'];
    const { token } = await stack.gdx<{ token: string }>('integration', 'add', ...company);
    const pace = ['--cadence', '2s', '--page-size', '20'];
    await stack.gdx(
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
    const came = [
      `${this.acknowledged()} records acknowledged, lost ${lost()}`,
      `of ${this.customer.confirmed().length} pages in ${this.interruptions.length} interruptions repeated ${repeatedPages(this.customer).length}`,
    ].join('; ');
    const stoodStillMs = this.delay.max / 1e6;
    const wrong = [
      ...(lost() > 0 ? ['records are lost'] : []),
      ...(stoodStillMs > STANDS_STILL_MS
        ? [`the customer itself stood still for ${Math.round(stoodStillMs)} ms`]
        : []),
      ...this.tooMany(),
      ...this.erps.flatMap((erp) => erp.failed),
    ];
    if (wrong.length > 0) throw new Error(`${wrong.join(', ')}; ${came}`);
    return came;
  }

  /** @param mayRepeat one page of each entity type is in flight at most, so that a crash may have as many come twice */
  interrupted(what: string, mayRepeat: 0 | 1): void {
    this.interruptions.push({ what, mayRepeat, at: Date.now() });
  }

  /** The pages that came twice and should not have. */
  private tooMany(): string[] {
    const repeated = repeatedPages(this.customer).map(({ entityType, at }) => {
      const { what, mayRepeat } = this.interruptions.findLast((each) => each.at <= at) ?? NOTHING;
      return { page: `${entityType} twice after ${what}`, mayRepeat };
    });
    return repeated.flatMap(({ page, mayRepeat }, index) => {
      const before = repeated.slice(0, index).filter((each) => each.page === page).length;
      return before < mayRepeat ? [] : [page];
    });
  }

  private acknowledged(): number {
    return this.erps.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }
}
