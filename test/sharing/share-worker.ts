import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { Agent } from 'undici';
import { createDeliverPages, type DeliverInput, type DeliverResult } from '../../activities/deliver-pages';
import type { Store } from '../../store/connect';
import { deliveryWorkflowId } from '../../workflows/messages';
import { inputsOf, planRun } from '../commit-order/scene';
import type { FakeCustomer } from '../setup/fake-customer';

// Activities that fail on purpose are no news.
const QUIET = { logger: new DefaultLogger('ERROR', () => {}) };

/** How far a run goes: pages of each window, tries at each, and whether it repeats the plan before it. */
export interface RunShape {
  pages?: number;
  attempts?: number;
  again?: boolean;
}

/** A worker's process: it keeps the shared accounts it has read, as the real one does, from one run to the next. */
export class ShareWorker {
  private planned: DeliverInput[] = [];
  private upTo = Infinity;
  private readonly deliverPages: ReturnType<typeof createDeliverPages>;

  constructor(
    private readonly name: string,
    private readonly slug: string,
    private readonly deps: { store: Store; agent: Agent; customer: FakeCustomer },
  ) {
    const draining = () => this.posted() >= this.upTo;
    this.deliverPages = createDeliverPages({ ...deps, retentionDays: 1, draining });
  }

  /** What the workflow hands to the activity for each window of a new plan. */
  async plan(): Promise<DeliverInput[]> {
    this.planned = inputsOf(await planRun(this.deps.store, this.slug), this.slug);
    return this.planned;
  }

  /** One attempt; it hands back after so many pages, as a worker does that is stopping. */
  deliver(input: DeliverInput, pages = Infinity): Promise<DeliverResult> {
    this.upTo = this.posted() + pages;
    const { channel, entity_type, run, catch_up } = input;
    const workflowId = `${this.name} ${deliveryWorkflowId(channel, entity_type, run, catch_up)}`;
    const environment = new MockActivityEnvironment(
      { workflowExecution: { workflowId, runId: 'test' } },
      QUIET,
    );
    return environment.run(this.deliverPages, input);
  }

  private posted(): number {
    const { pages } = this.deps.customer;
    return pages.filter(({ headers }) => workerOf(String(headers['x-delivery-id'])) === this.name).length;
  }

  async run({ pages = Infinity, attempts = 1, again = false }: RunShape = {}): Promise<void> {
    const inputs = again && this.planned.length > 0 ? this.planned : await this.plan();
    for (const input of inputs) {
      for (let tries = 0; tries < attempts; tries++) {
        const { end } = await this.deliver(input, pages);
        if (end !== 'more' && end !== 'unconfirmed') break;
      }
    }
  }
}

/** The worker whose delivery a page belongs to. */
export const workerOf = (deliveryId: string) => deliveryId.replace(/ delivery\/.*/, '');
