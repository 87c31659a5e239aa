import type { CustomerAgent } from '../../outbound/create-agent';
import { findChannel, pauseChannel, resumeChannel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { records } from '../../store/records/records';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { releaseSetAside } from '../../store/deliveries/set-aside';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { needsNoTurn, ASK_TIMEOUT_MS } from '../setup/collector';
import type { FakeCustomer } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { isReset } from './both-halves';
import { type Act, type CustomerAnswer, type PushedVersion, TYPES } from './acts';
import { createIsReadAhead } from './is-read-ahead';
import { rewire } from './rewire';
import type { Turns } from './turns';

/** A reset's promise: these go out again, in pages of a later number than those before it. */
interface ResetPromise {
  since: number;
  ids: string[];
}

/** One case: a company and a channel of its own in the one store, so that positions have gaps from other companies. */
export class Stage {
  readonly company: { id: string; name: string };
  readonly slug: string;
  /** The reference: for each record the content last acknowledged. */
  readonly acknowledged = new Map<string, string>();
  readonly promises: ResetPromise[] = [];
  private readonly workers = new Map<string, ActivityWorker>();

  constructor(
    readonly store: Store,
    readonly customer: FakeCustomer,
    readonly agent: CustomerAgent,
    number: number,
    private readonly how: { delivery?: 'pull' | 'push'; turns?: Turns | undefined } = {},
  ) {
    this.company = { id: `c${number}`, name: 'Prairie Co-op' };
    this.slug = `acme-${number}`;
  }

  async open(answers: CustomerAnswer[]): Promise<void> {
    const left = [...answers];
    this.customer.pages.length = 0;
    this.customer.script = () => left.shift() ?? 200;
    await addTestChannel(this.store, this.slug, this.customer.baseUrl, {
      entity_types: [...TYPES],
      companies: [this.company.id],
      page_size: 2,
      delivery: this.how.delivery ?? 'push',
    });
  }

  /** One actor's acts, one after the other. */
  async perform(actor: string, acts: Act[]): Promise<void> {
    for (const act of acts) await this.actOut(actor, act, this.inTurn(actor, this.store));
  }

  /** The store as an actor uses it: each of its calls waits for its turn. */
  private inTurn(actor: string, store: Store): Store {
    const { turns } = this.how;
    if (!turns) return store;
    const isReadAhead = createIsReadAhead();
    return rewire(store, async (call) => {
      if (!needsNoTurn(call) && !isReadAhead(call)) await turns.step(actor);
      return call.run();
    });
  }

  private async actOut(actor: string, act: Act, store: Store): Promise<void> {
    if (act.act === 'push') return this.push(actor, act, store);
    if (act.act === 'run') return void (await this.worker(actor, store).run(act));
    if (act.act === 'reset') return this.reset(actor, act);
    if (act.act === 'wait') {
      for (let step = 0; step < act.steps; step++) await this.how.turns?.step(actor);
      return;
    }
    if (act.act === 'pause') return void (await pauseChannel(store, this.slug, 'asked'));
    if (act.act === 'resume') return void (await resumeChannel(store, this.slug));
    if (act.act === 'release') return void (await releaseSetAside(store, this.slug, {}));
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: this.slug }, { $set: { page_size: act.size } });
  }

  private async push(
    actor: string,
    { records: versions, apart }: { records: PushedVersion[]; apart: boolean },
    store: Store,
  ): Promise<void> {
    // Each ERP writes records of its own: between two that write the same one nobody could say which came last.
    const pushed = versions.map(({ type, id, note, deleted }) => ({
      type,
      record: {
        id: `${actor.replace(' ', '')}-${id}`,
        ...(type === 'accounts' ? { name: 'Meyer Farms' } : { account_id: '1001' }),
        note: `v${note}`,
        deleted_at: deleted ? '2026-11-01T00:00:00.000Z' : null,
      },
    }));
    const of = (wanted: string) => pushed.filter(({ type }) => type === wanted).map(({ record }) => record);
    const [accounts, tickets] = [of('accounts'), of('tickets')];
    if (apart) {
      await pushRecords(store, { accounts }, this.company);
      const alone = tickets.map((ticket) => pushRecords(store, { tickets: [ticket] }, this.company));
      await Promise.all(alone);
    } else await pushRecords(store, { accounts, tickets }, this.company);
    for (const { type, record } of pushed) {
      this.acknowledged.set(`${type} ${this.company.id}-${record.id}`, contentOf(record));
    }
  }

  /** One process an actor. */
  private worker(actor: string, store: Store): ActivityWorker {
    const { agent, customer, slug } = this;
    const worker =
      this.workers.get(actor) ??
      new ActivityWorker(slug, { store, agent, customer, askTimeoutMs: ASK_TIMEOUT_MS }, actor);
    this.workers.set(actor, worker);
    return worker;
  }

  private async reset(actor: string, { type, back }: Extract<Act, { act: 'reset' }>): Promise<void> {
    const known = await records(this.store, type)
      .find({ company_id: this.company.id })
      .sort({ position: -1 })
      .toArray();
    const timestamp = known[back]?.updated_at ?? new Date(0);
    const again = known.filter(({ updated_at }) => updated_at >= timestamp);
    const ids = again.map(({ _id }) => `${type} ${_id}`);
    // The promise is of pages posted after the one update that is the reset.
    const noting = rewire(this.store, (call) => {
      if (isReset(call)) this.promises.push({ since: this.customer.pages.length, ids });
      return call.run();
    });
    const store = this.inTurn(actor, noting);
    const channel = (await findChannel(store, this.slug))!;
    await resetChannelMarker(store, channel, type, timestamp);
  }
}

export const contentOf = (record: Record<string, unknown>) =>
  `${record['note']}${record['deleted_at'] === null ? '' : ' deleted'}`;
