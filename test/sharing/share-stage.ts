import type { CustomerAgent } from '../../outbound/create-agent';
import { findChannel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { releaseSetAside } from '../../store/deliveries/set-aside';
import { farmerOf, listEnded, type SubscriptionKey } from '../../store/consent/subscriptions';
import { confirmDeletion, noteAsked } from '../../store/sharing/deletions';
import type { CustomerAnswer } from '../commit-order/acts';
import { createIsReadAhead } from '../commit-order/is-read-ahead';
import { outOfOrder } from '../commit-order/promise';
import { type Around, rewire } from '../commit-order/rewire';
import type { Turns } from '../commit-order/turns';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { Collector, needsNoTurn, ASK_TIMEOUT_MS } from '../setup/collector';
import type { FakeCustomer } from '../setup/fake-customer';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { DeletionWitness } from './deletion-witness';
import { expectLedgerAgrees } from './ledger-says';
import {
  ACCOUNTS,
  type CustomerAct,
  type FarmerAct,
  ONLY_NEW,
  PARTNERS,
  type ShareAct,
  TYPES,
} from './share-acts';
import { isInside } from './share-calls';
import { ShareCompany } from './share-company';
import { Witness } from './witness';

const PHONE = '7015550142';

/** The process of the API ends in mid act. */
class Died extends Error {}

/** Ends the process after so many calls. */
function dyingAfter(calls: number): Around {
  let left = calls;
  return ({ run }) => {
    if (left-- <= 0) throw new Died();
    return run();
  };
}

const unlessDied = (error: Error): void => {
  if (!(error instanceof Died)) throw error;
};

/** One case: a company and a channel of its own in the one store, each call of each actor in its turn. */
export class ShareStage {
  readonly witness: Witness;
  private readonly deletions = new DeletionWitness();
  private readonly company: ShareCompany;
  private readonly slug: string;
  private readonly collector: Collector;
  private readonly workers = new Map<string, ActivityWorker>();
  /** Only what is played comes in turns, and only then the customer is at its worst. */
  private phase: 'before' | 'play' | 'after' = 'before';

  constructor(
    private readonly store: Store,
    private readonly customer: FakeCustomer,
    private readonly agent: CustomerAgent,
    number: number,
    private readonly turns: Turns,
    private readonly delivery: 'pull' | 'push' = 'push',
  ) {
    this.company = new ShareCompany(number);
    this.slug = `acme-${number}`;
    this.collector = new Collector(store, this.slug, customer);
    const accounts = ACCOUNTS.map(this.company.recordId);
    this.witness = new Witness(
      customer,
      PARTNERS.flatMap((partner) => this.keysOf(partner, accounts)),
    );
  }

  /** A channel, and records of every account, split ones too, from before any of them is shared; then some are. */
  async open(answers: CustomerAnswer[], sharedBefore: string[]): Promise<void> {
    const left = [...answers];
    this.customer.script = (page) => {
      this.witness.received(page);
      return this.phase === 'play' ? (left.shift() ?? 200) : 200;
    };
    await addTestChannel(this.store, this.slug, this.customer.baseUrl, {
      scope: 'subscribed',
      entity_types: [...TYPES],
      companies: [this.company.id],
      page_size: 2,
      delivery: this.delivery,
    });
    await this.company.pushAll(this.store);
    const granted = { act: 'grant', partner: PARTNERS[0]!, earlier: false, calls: 99 } as const;
    if (sharedBefore.length > 0) await this.choose('farmer, before', { ...granted, accounts: sharedBefore });
    if (this.delivery === 'pull') this.collector.start(TYPES, this.witness.atCollector);
  }

  play(cast: Record<string, ShareAct[]>): Promise<void> {
    this.phase = 'play';
    const actors = Object.entries(cast).map(([name, acts]) => {
      const perform = async () => {
        for (const act of acts) await this.actOut(name, act);
      };
      return [name, perform] as const;
    });
    return this.turns.play(Object.fromEntries(actors));
  }

  /** Faults have stopped; the workers finish, with what they have kept in memory, then what was set aside is released. */
  async finish(): Promise<void> {
    this.phase = 'after';
    const attempts = 99; // a customer who collects may have to come back first
    for (let run = 0; run < 3; run++) await this.worker(`worker ${1 + (run % 2)}`).run({ attempts });
    await releaseSetAside(this.store, this.slug, {});
    await this.worker('worker 2').run({ attempts });
  }

  close(): Promise<void> {
    return this.collector.stop();
  }

  /** What the case owes and did not give, and what it gave and must not. */
  async broken(): Promise<Record<'missing' | 'leaks' | 'outOfOrder' | 'unsaid', string[]>> {
    const missing = await this.witness.missing(this.store, this.slug);
    const unsaid = this.deletions.wrong(await expectLedgerAgrees(this.store, this.slug));
    return { missing, leaks: this.witness.leaks, outOfOrder: outOfOrder(this.customer), unsaid };
  }

  /** The store as an actor uses it: each call waits for its turn, then the witness sees it. */
  private storeOf(actor: string, sees: Around): Store {
    const isReadAhead = createIsReadAhead();
    return rewire(rewire(this.store, sees), async (call) => {
      const takesNoTurn = [isReadAhead, isInside, needsNoTurn].some((is) => is(call));
      if (this.phase === 'play' && !takesNoTurn) await this.turns.step(actor);
      return call.run();
    });
  }

  private worker(name: string): ActivityWorker {
    const known = this.workers.get(name);
    if (known) return known;
    const store = this.storeOf(name, this.witness.atWorker(name));
    const { agent, customer, slug } = this;
    const worker = new ActivityWorker(slug, { store, agent, customer, askTimeoutMs: ASK_TIMEOUT_MS }, name);
    this.workers.set(name, worker);
    return worker;
  }

  private async actOut(actor: string, act: ShareAct): Promise<void> {
    if (act.act === 'run') return void (await this.worker(actor).run(act));
    const store = this.storeOf(actor, ({ run }) => run());
    if (act.act === 'push') return this.company.push(store, act.records);
    if (act.act === 'reset') return this.reset(actor, act);
    if (act.act === 'page size') return this.resize(act.size, store);
    if (act.act === 'declare') return this.declare(store, act.on);
    if (act.act === 'read ended' || act.act === 'deleted') return this.answerDeletions(store, act);
    if (act.act !== 'wait') return this.choose(actor, act);
    for (let step = 0; step < act.steps; step++) await this.turns.step(actor);
  }

  /** As `GET .../subscriptions?ended=true` and `POST .../deletions` do. */
  private async answerDeletions(through: Store, act: CustomerAct): Promise<void> {
    const store = rewire(through, dyingAfter(act.calls));
    const channel = (await findChannel(this.store, this.slug))!;
    const account = act.act === 'deleted' ? this.company.recordId(act.account) : null;
    const request = this.deletions.begins(account);
    const asked = async () => {
      if (account !== null) return confirmDeletion(store, channel, account, request);
      const toDelete = (await listEnded(store, this.slug)).filter(({ deletion }) => deletion);
      await noteAsked(
        store,
        channel,
        toDelete.map((one) => one.account),
        request,
      );
    };
    await asked().then((answer) => this.deletions.answered(request, answer ?? undefined), unlessDied);
  }

  private async choose(actor: string, { act, partner, accounts, earlier, calls }: FarmerAct): Promise<void> {
    const keys = this.keysOf(partner, accounts.map(this.company.recordId));
    const dying = dyingAfter(calls);
    const done = act === 'grant' ? this.grant(actor, keys, earlier, dying) : this.revoke(actor, keys, dying);
    await done.catch(unlessDied);
    await this.witness.answered(this.store, keys);
  }

  private async grant(
    actor: string,
    keys: SubscriptionKey[],
    isEarlierToo: boolean,
    dying: Around,
  ): Promise<void> {
    const late = this.company.recordId(ONLY_NEW);
    // All of a batch are with the earlier records, or without.
    const isWhole = ({ account }: SubscriptionKey) => isEarlierToo || account !== late;
    const batches = [true, false].map((earlier) => ({
      earlier,
      keys: keys.filter((key) => isWhole(key) === earlier),
    }));
    const { sees, ended } = this.witness.grantBegins(keys, isWhole);
    const store = rewire(this.storeOf(actor, sees), dying);
    const channel = (await findChannel(this.store, this.slug))!;
    const grants = async () => {
      for (const batch of batches)
        if (batch.keys.length > 0) await grantAccounts(store, channel, batch.keys, '42', batch.earlier);
    };
    await grants().then(
      () => ended(true),
      (error: Error) => {
        ended(false); // its transaction was given up
        throw error;
      },
    );
  }

  private async revoke(actor: string, keys: SubscriptionKey[], dying: Around): Promise<void> {
    await revokeAccounts(
      rewire(
        this.storeOf(actor, ({ run }) => run()),
        dying,
      ),
      keys,
    );
  }

  private keysOf(partner_id: string, accounts: string[]): SubscriptionKey[] {
    const farmer = farmerOf(this.store, PHONE);
    return accounts.map((account) => ({ channel: this.slug, partner_id, farmer, account }));
  }

  private async reset(actor: string, { type, back }: Extract<ShareAct, { act: 'reset' }>): Promise<void> {
    const { timestamp, ids } = await this.company.changedSince(this.store, type, back);
    const store = this.storeOf(actor, this.witness.atReset(type, ids));
    const channel = (await findChannel(store, this.slug))!;
    await resetChannelMarker(store, channel, type, timestamp);
  }

  private async declare(store: Store, on: boolean): Promise<void> {
    const answered = this.witness.declares(on);
    await this.company.declare(store, on);
    answered();
  }

  private async resize(page_size: number, store: Store): Promise<void> {
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: this.slug }, { $set: { page_size } });
  }
}
