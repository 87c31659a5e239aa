import { setTimeout } from 'node:timers/promises';
import { createDeliverPages } from '../../activities/deliver/deliver-pages';
import { createPlanRun } from '../../activities/plan-run';
import type { CustomerAgent } from '../../outbound/create-agent';
import { createPageBudgets } from '../../outbound/page-budget';
import {
  type DeliverInput,
  type DeliverResult,
  NOTHING_YET,
  type RunPlan,
} from '../../domain/deliveries/delivery';
import type { Store } from '../../store/store';
import { channelWorkflowId, deliveryWorkflowId } from '../../workflows/messages';
import { answeredOf, readWaitingState } from '../../store/markers/waiting-pages';
import { asActivity } from './as-activity';
import type { FakeCustomer } from './fake-customer';

/** How far a run goes: pages of each window, tries at each, and whether it repeats the plan before it. */
export interface RunShape {
  pages?: number;
  attempts?: number;
  again?: boolean;
}

export interface WorkerDeps {
  store: Store;
  agent: CustomerAgent;
  customer: FakeCustomer;
  /** How long a run waits for the next question of a customer who collects its pages; without it, it ends with the first page. */
  askTimeoutMs?: number;
}

// After them the workflow calls the activity again.
const GOES_ON = ['more', 'unconfirmed', 'uncollected'];
const LOOK_MS = 5;

/**
 * The activities of one worker's process, run by hand in the place of a channel's workflow. As the real process, it
 * keeps the shared accounts it has read from one run to the next.
 */
export class ActivityWorker {
  private planned: DeliverInput[] = [];
  private draining = () => false;
  private readonly deliverPages: ReturnType<typeof createDeliverPages>;
  private readonly budgets = createPageBudgets();
  private underWay = 0;

  /** @param name goes before the id of each of its deliveries */
  constructor(
    private readonly slug: string,
    private readonly deps: WorkerDeps,
    private readonly name = '',
  ) {
    const deliverPages = createDeliverPages(
      { ...deps, retentionDays: 1, draining: () => this.draining() },
      this.budgets,
    );
    this.deliverPages = async (input) => {
      this.underWay += 1;
      const result = await deliverPages(input).finally(() => (this.underWay -= 1));
      if (this.underWay === 0) this.expectAllGivenBack();
      return result;
    };
  }

  /** Whatever becomes of a page, the bytes that it held are free again. */
  private expectAllGivenBack(): void {
    for (const [which, budget] of Object.entries(this.budgets)) {
      const all = budget.takeIfFree(Infinity);
      if (!all)
        throw new Error(`a page of customers that are ${which} has not given back the bytes that it held`);
      all.end();
    }
  }

  /** What the workflow hands to the activity for each window of a new plan. */
  async plan(): Promise<DeliverInput[]> {
    const trigger = 'deliver-now'; // whatever the customer has asked for
    const planRun = createPlanRun(this.deps);
    const plan = await asActivity(channelWorkflowId(this.slug), planRun, { slug: this.slug, trigger });
    this.planned = inputsOf(plan, this.slug);
    return this.planned;
  }

  /** One attempt; it hands back after so many pages, as a worker does that is stopping. */
  async deliver(input: DeliverInput, pages = Infinity): Promise<DeliverResult> {
    const { channel, entity_type, run, catch_up } = input;
    const id = `${this.name} ${deliveryWorkflowId(channel, entity_type, run, catch_up)}`.trim();
    const posted = () =>
      this.deps.customer.pages.filter(({ headers }) => headers['x-delivery-id'] === id).length;
    const upTo = posted() + pages;
    this.draining = () => posted() >= upTo;
    let result = await asActivity(id, this.deliverPages, input);
    while (result.end === 'uncollected' && posted() < upTo && (await this.isAskedAgain(input)))
      result = await asActivity(id, this.deliverPages, { ...input, first: false, done: result.totals });
    return result;
  }

  /** As the workflow, which is signalled. */
  private async isAskedAgain({ channel, entity_type }: DeliverInput): Promise<boolean> {
    const { store, askTimeoutMs = 0 } = this.deps;
    const until = Date.now() + askTimeoutMs;
    while (Date.now() < until) {
      const waiting = await readWaitingState(store, channel, entity_type);
      if (waiting && waiting.asks > answeredOf(waiting)) return true;
      await setTimeout(LOOK_MS);
    }
    return false;
  }

  /** Further slices follow the first one, as in the workflow. */
  private async deliverSlices(input: DeliverInput): Promise<DeliverResult> {
    let result = await this.deliver(input);
    for (let slices = 1; result.end === 'more' && slices < 10; slices++)
      result = await this.deliver({ ...input, first: false, done: result.totals });
    return result;
  }

  async run({ pages, attempts = 1, again = false }: RunShape = {}): Promise<DeliverResult[]> {
    const inputs = again && this.planned.length > 0 ? this.planned : await this.plan();
    const results: DeliverResult[] = [];
    for (const input of inputs) {
      for (let tries = 0; tries < attempts; tries++) {
        const result =
          pages === undefined ? await this.deliverSlices(input) : await this.deliver(input, pages);
        results.push(result);
        if (!GOES_ON.includes(result.end)) break;
      }
    }
    return results;
  }
}

/** What the workflow hands to the activity for each window of a plan. */
export function inputsOf(plan: RunPlan, slug: string): DeliverInput[] {
  if (plan.state !== 'active') return [];
  const { run, page_size } = plan;
  const fixed = {
    channel: slug,
    trigger: 'schedule',
    run,
    page_size,
    done: NOTHING_YET,
    first: true,
  } as const;
  return plan.windows.map((window) => ({ ...fixed, ...window }));
}

/** The worker whose delivery a page belongs to. */
export const workerOf = (deliveryId: string) => deliveryId.replace(/ delivery\/.*/, '');
