import { Context } from '@temporalio/activity';
import { setTimeout } from 'node:timers/promises';
import { findChannel } from '../../store/channels/channels';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { farmerOf, listGranted, type SubscriptionKey } from '../../store/consent/subscriptions';
import { WriteTimeout } from '../../store/unavailable';
import { deliverNowSignal, markerResetSignal, subscriptionsChangedSignal } from '../../workflows/messages';
import { outOfOrder } from '../commit-order/promise';
import { type Call, rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer, type ReceivedPage } from '../setup/fake-customer';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import type { TestFeed } from '../workflows/test-feed';
import { heldOtherwise } from './held-otherwise';
import type { LiveAct, LiveTrial, Moment } from './live-acts';
import { untilSettled } from './until-settled';
import { ACCOUNTS, PARTNERS, TYPES } from './share-acts';
import { isBump } from './share-calls';
import { ShareCompany } from './share-company';
import { Witness } from './witness';

const PHONE = '7015550142';
const SLOWEST_PAGE_MS = 30;
const MOMENT_MS = 3_000; // an act waits no longer for its moment
const request = { request_id: 'test' };

/** What the trials have done, for the figures. */
export type Done = Record<LiveAct['act'] | 'correct away' | 'correct back' | Moment | 'pages', number>;

/** One trial: a company, a channel with its own workflow, and a customer, fed by the worker of the whole test. */
export class LiveStage {
  readonly slug: string;
  private readonly company: ShareCompany;
  private readonly keys: SubscriptionKey[];
  private readonly witness: Witness;
  private readonly waiting: { moment: Moment; act: () => Promise<void> }[] = [];
  /** The ticket that was corrected away from a shared account. */
  private away: { id: number; from: string } | undefined;
  private note = 10;

  private constructor(
    private readonly feed: TestFeed,
    private readonly customer: FakeCustomer,
    private readonly done: Done,
    number: number,
  ) {
    this.company = new ShareCompany(number);
    this.slug = `trial-${number}`;
    this.keys = PARTNERS.flatMap((partner) => this.keysOf(partner, ACCOUNTS));
    this.witness = new Witness(customer, this.keys);
  }

  static async open(feed: TestFeed, number: number, done: Done): Promise<LiveStage> {
    const customer = await FakeCustomer.start(undefined, `127.0.1.${1 + (number % 250)}`);
    const stage = new LiveStage(feed, customer, done, number);
    customer.script = (page) => stage.received(page);
    return stage;
  }

  /** A channel, and records of every account from before any of them is shared; then some are. */
  async begin(sharedBefore: string[]): Promise<void> {
    const { store } = this.feed;
    await addTestChannel(store, this.slug, this.customer.baseUrl, {
      scope: 'subscribed',
      entity_types: [...TYPES],
      companies: [this.company.id],
      page_size: 2,
      cadence_ms: 24 * 3_600_000,
    });
    await patiently(() => this.company.pushAll(store));
    if (sharedBefore.length > 0) await this.grant(this.keysOf(PARTNERS[0]!, sharedBefore));
    await this.deliver();
  }

  async play({ farmer, erp, customer }: LiveTrial): Promise<void> {
    await Promise.all([farmer, erp, customer].map((acts) => this.performAll(acts)));
  }

  /** What the customer holds and must not, holds otherwise, or was promised and not given, when all is delivered. */
  async broken() {
    const { store } = this.feed;
    await this.deliver();
    await untilSettled(store, this.slug);
    this.done.pages += this.customer.confirmed().length;
    return {
      otherwise: await heldOtherwise(store, this.slug, this.company.id, this.customer),
      missing: await this.witness.missing(store, this.slug),
      leaks: this.witness.leaks,
      outOfOrder: outOfOrder(this.customer),
    };
  }

  async close(): Promise<void> {
    await this.customer.stop();
  }

  /** A call of the worker to this channel's document. */
  async atWorker(call: Call): Promise<unknown> {
    const isInside = call.args.some((argument) => argument?.['session']?.inTransaction() === true);
    if (!isInside && !isBump(call)) await this.take('look');
    return this.witness.atWorker(Context.current().info.workflowExecution!.workflowId)(call);
  }

  private async received(page: ReceivedPage): Promise<number> {
    this.witness.received(page);
    await this.take('page');
    await setTimeout(Math.random() * SLOWEST_PAGE_MS);
    return 200;
  }

  /** The first who waits for this moment acts in it. */
  private async take(moment: Moment): Promise<void> {
    const first = this.waiting.findIndex((one) => one.moment === moment);
    if (first >= 0) await this.waiting.splice(first, 1)[0]!.act();
  }

  private async performAll(acts: LiveAct[]): Promise<void> {
    for (const act of acts) {
      await setTimeout(act.afterMs);
      await (act.when === 'now' ? this.perform(act, 'now') : this.performIn(act.when, act));
    }
  }

  private async performIn(moment: Moment, act: LiveAct): Promise<void> {
    const over = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const performAs = (as: Moment) => this.perform(act, as).then(resolve, reject);
      const turn = {
        moment,
        act: () => {
          over.abort();
          return performAs(moment);
        },
      };
      this.waiting.push(turn);
      setTimeout(MOMENT_MS, undefined, { signal: over.signal }).then(
        () => {
          this.waiting.splice(this.waiting.indexOf(turn), 1);
          return performAs('now');
        },
        () => undefined, // its moment has come
      );
    });
  }

  private async perform(act: LiveAct, moment: Moment): Promise<void> {
    this.done[act.act] += 1;
    this.done[moment] += 1;
    if (act.act === 'grant') return this.grant(this.keysOf(act.partner, act.accounts));
    if (act.act === 'revoke') return this.revoke(this.keysOf(act.partner, act.accounts));
    if (act.act === 'reset') return this.reset(act);
    if (act.act === 'correct') return this.correct();
    const { type, id, of } = act;
    return this.push({ type, id, of });
  }

  private async grant(keys: SubscriptionKey[]): Promise<void> {
    const { store } = this.feed;
    const { sees, ended } = this.witness.grantBegins(keys);
    const channel = (await findChannel(store, this.slug))!;
    await grantAccounts(rewire(store, sees), channel, keys);
    ended(true);
    await this.answered(keys);
  }

  private async revoke(keys: SubscriptionKey[]): Promise<void> {
    await revokeAccounts(this.feed.store, keys);
    await this.answered(keys);
  }

  private async answered(keys: SubscriptionKey[]): Promise<void> {
    await this.witness.answered(this.feed.store, keys);
    await this.feed.signal(this.slug, subscriptionsChangedSignal, request);
  }

  private async reset({ type, back }: Extract<LiveAct, { act: 'reset' }>): Promise<void> {
    const { store } = this.feed;
    const { timestamp, ids } = await this.company.changedSince(store, type, back);
    const channel = (await findChannel(store, this.slug))!;
    await resetChannelMarker(rewire(store, this.witness.atReset(type, ids)), channel, type, timestamp);
    const asked = { entity_types: [type], timestamp: timestamp.toISOString(), ...request };
    await this.feed.signal(this.slug, markerResetSignal, asked);
  }

  private async correct(): Promise<void> {
    if (this.away) {
      const { id, from } = this.away;
      this.away = undefined;
      this.done['correct back'] += 1;
      return this.push({ type: 'tickets', id, of: [from] });
    }
    const granted = await listGranted(this.feed.store, this.slug);
    const isShared = (account: string) =>
      granted.some((one) => one.account === this.company.recordId(account));
    const [from, to] = [ACCOUNTS.find(isShared), ACCOUNTS.findLast((account) => !isShared(account))!];
    if (from === undefined) return this.push({ type: 'tickets', id: 0, of: [to] });
    const id = 10 + ACCOUNTS.indexOf(from);
    await this.push({ type: 'tickets', id, of: [from] });
    await setTimeout(Math.random() * 100);
    this.away = { id, from };
    this.done['correct away'] += 1;
    return this.push({ type: 'tickets', id, of: [to] });
  }

  private async push(version: { type: (typeof TYPES)[number]; id: number; of: string[] }): Promise<void> {
    const note = (this.note += 1);
    await patiently(() => this.company.push(this.feed.store, [{ ...version, note }]));
    await this.deliver();
  }

  private deliver(): Promise<void> {
    return this.feed.signal(this.slug, deliverNowSignal, request);
  }

  private keysOf(partner_id: string, accounts: string[]): SubscriptionKey[] {
    const farmer = farmerOf(this.feed.store, PHONE);
    return accounts.map((account) => {
      return { channel: this.slug, partner_id, farmer, account: this.company.recordId(account) };
    });
  }
}

/** As an ERP does that is answered 503. */
async function patiently(push: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await push();
    } catch (error) {
      if (!(error instanceof WriteTimeout)) throw error;
    }
  }
}
