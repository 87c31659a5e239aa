import {
  type DeliverInput,
  type DeliverResult,
  NOTHING_YET,
  type PlannedWindow,
} from '../../domain/deliveries/delivery';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'undici';
import { createDeliverPages } from '../../activities/deliver/deliver-pages';
import { createPlanRun } from '../../activities/plan-run';
import type { WindowRead } from '../../store/window/window';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { asActivity } from '../setup/as-activity';
import { type Marker, markerId } from '../../store/markers/markers';
import type { Contestant } from './interleave';
import { shareWith } from './shared-accounts';

const TYPE = 'tickets';

/** A channel for all tickets, fed by the real activities without a Temporal around them. */
export class Feeder {
  private readonly planRun;
  private readonly deliverPages;
  private generation = 0;

  private constructor(
    private readonly store: Store,
    agent: Agent,
    private readonly slug: string,
    private readonly pageSize: number,
  ) {
    const deps = { store, agent, retentionDays: 1, draining: () => false };
    this.planRun = createPlanRun(deps);
    this.deliverPages = createDeliverPages(deps);
  }

  /** @param shared the accounts of a channel of scope `subscribed`; without them its scope is `all` */
  static async add(
    store: Store,
    agent: Agent,
    baseUrl: string,
    { pageSize, shared }: { pageSize: number; shared?: string[] },
  ): Promise<Feeder> {
    const slug = `bench-${randomUUID().slice(0, 8)}`;
    const scope = shared ? 'subscribed' : 'all';
    await addTestChannel(store, slug, baseUrl, { scope, entity_types: [TYPE], page_size: pageSize });
    if (shared) await shareWith(store, slug, shared);
    const feeder = new Feeder(store, agent, slug, pageSize);
    await feeder.plan(); // makes the marker
    return feeder;
  }

  /** Puts the marker anywhere, fencing like a reset. */
  async putMarker(position = 0): Promise<void> {
    const markers = this.store.db.collection<Marker>('markers');
    const update = { $set: { position }, $inc: { generation: 1, epoch: 1 } };
    await markers.updateOne({ _id: markerId(this.slug, TYPE) }, update);
    this.generation += 1;
  }

  /** What a plan would say of these positions, where no record has changed since. */
  window(from: number, to: number, read: WindowRead = 'range'): PlannedWindow {
    const { generation } = this;
    const rest = { read, more: false, unanswered: false } as const;
    return { entity_type: TYPE, catch_up: false, generation, from, to, records: to - from, ...rest };
  }

  async plan(): Promise<PlannedWindow> {
    const plan = await asActivity('channel/bench', this.planRun, { slug: this.slug, trigger: 'deliver-now' });
    const window = plan.state === 'active' ? plan.windows[0] : undefined;
    return window ?? this.window(0, 0);
  }

  /** @returns how many activities it took */
  async deliver(window: PlannedWindow): Promise<number> {
    const input = {
      ...window,
      channel: this.slug,
      run: 1,
      trigger: 'deliver-now',
      page_size: this.pageSize,
      done: NOTHING_YET,
      first: true,
    } as const;
    const workflowId = `delivery/${randomUUID()}`;
    for (let activities = 1; ; activities++) {
      const result = await asActivity(workflowId, this.deliverPages, input);
      if (result.end === 'more') continue;
      requireAll(input, result);
      return activities;
    }
  }

  /** Delivers the first pages, again and again. */
  deliveringPages(pages: number): Contestant {
    return {
      prepare: () => this.putMarker(0),
      run: async () => void (await this.deliver(this.window(0, pages * this.pageSize))),
      units: pages,
    };
  }
}

function requireAll(input: DeliverInput, { end, totals }: DeliverResult): void {
  if (end === 'delivered' && totals.records === input.records) return;
  throw new Error(`${totals.records} of ${input.records} records, then ${end}`);
}
