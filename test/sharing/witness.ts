import type { EntityType } from '../../domain/records/entity-types';
import { formatInstant } from '../../domain/time/instants';
import type { Store } from '../../store/store';
import { type RecordDocument, records } from '../../store/records/records';
import {
  listGranted,
  type Positions,
  type SubscriptionKey,
  subscriptionId,
  subscriptions,
} from '../../store/consent/subscriptions';
import { isReset } from '../commit-order/both-halves';
import type { Around } from '../commit-order/rewire';
import type { FakeCustomer, ReceivedPage } from '../setup/fake-customer';
import { grantedBy, isBump } from './share-calls';
import { ONLY_NEW, TYPES } from './share-acts';
import { accountsNamed } from './accounts-named';
import { accountsIn, EARLIEST, hasUndeclared } from './share-company';
import { workerOf } from '../setup/activity-worker';

/** Owed in pages from the one numbered `since`: everything of an account, or what a reset has promised. */
type Owed = { since: number } & (
  | { account: string; from: Positions | null }
  | { type: EntityType; ids: string[] }
);

type Received = ReceivedPage['records'][number];

/** Sees all calls of a case in their order, and says what they owe to the customer and to the farmer. */
export class Witness {
  /** What each reset promised. */
  private readonly resets: Owed[] = [];
  /** For each subscription the pages there were before it was last granted. */
  private readonly lastGrant = new Map<string, number>();
  /** What was posted, or named, in spite of a revoke that had been answered. */
  readonly leaks: string[] = [];
  private clock = 0;
  private readonly checked = new Map<string, number>();
  /** By subscription: when the farmer had the answer that it is not shared. Not there: it may be shared. */
  private readonly ended = new Map<string, number>();
  /** By subscription that was granted with its earlier records: when the farmer had the answer that it is not shared; Infinity while it may be. */
  private readonly wholeUntil = new Map<string, number>();
  /** By subscription: how many grants have begun, and how many of them are under way. */
  private readonly grants = new Map<string, { begun: number; open: number }>();

  /** When it was answered that a field is not declared any more; Infinity while it is, or is being declared. */
  private undeclared = 0;
  private declarations = 0;

  constructor(
    private readonly customer: FakeCustomer,
    /** All that can be shared. */
    private readonly keys: SubscriptionKey[],
  ) {
    for (const key of keys) this.ended.set(subscriptionId(key), 0);
  }

  /** The last look at the channel before a POST is the one that counts (docs/architecture.md#sharing). */
  atWorker =
    (worker: string): Around =>
    (call) => {
      if (call.collection === 'channels' && !isBump(call)) this.checked.set(worker, ++this.clock);
      return call.run();
    };

  /** A page that waits is given out after a look of its own, which then is the last one. */
  atCollector = (type: string): Around => this.atWorker(collectorOf(type));

  atReset =
    (type: EntityType, ids: string[]): Around =>
    (call) => {
      if (isReset(call)) this.resets.push({ since: this.customer.pages.length, type, ids });
      return call.run();
    };

  /** Watches one grant. `ended` says what came of it. */
  grantBegins(
    keys: SubscriptionKey[],
    isWhole: (key: SubscriptionKey) => boolean = () => true,
  ): { sees: Around; ended: (done: boolean) => void } {
    for (const of of keys.filter(isWhole).map(subscriptionId)) this.wholeUntil.set(of, Infinity);
    for (const of of keys.map(subscriptionId)) {
      const { begun, open } = this.grantsOf(of);
      this.grants.set(of, { begun: begun + 1, open: open + 1 });
      this.ended.delete(of);
    }
    let [since, accounts] = [0, [] as string[]];
    const sees: Around = (call) => {
      // A transaction that lost is tried again from its first write.
      if (isBump(call)) [since, accounts] = [this.customer.pages.length, []];
      accounts.push(...grantedBy(call));
      return call.run();
    };
    const ended = (done: boolean) => {
      for (const of of keys.map(subscriptionId)) {
        const { begun, open } = this.grantsOf(of);
        this.grants.set(of, { begun, open: open - 1 });
      }
      for (const of of keys.filter(({ account }) => done && accounts.includes(account)).map(subscriptionId)) {
        this.lastGrant.set(of, Math.max(since, this.lastGrant.get(of) ?? 0));
      }
    };
    return { sees, ended };
  }

  private readonly grantsOf = (of: string) => this.grants.get(of) ?? { begun: 0, open: 0 };

  /** An act of a farmer has been answered: what is not shared now, and is not being granted, has ended. */
  async answered(store: Store, keys: SubscriptionKey[]): Promise<void> {
    for (const of of keys.map(subscriptionId)) {
      const { begun } = this.grantsOf(of);
      const subscription = await subscriptions(store).findOne({ _id: of });
      const now = this.grantsOf(of);
      if (subscription?.state === 'granted' || now.open > 0 || now.begun > begun) continue;
      if (this.ended.has(of)) continue;
      this.ended.set(of, ++this.clock);
      if (this.wholeUntil.get(of) === Infinity) this.wholeUntil.set(of, this.clock);
    }
  }

  /** A declaration begins, or its end. @returns to be called when it was answered */
  declares(on: boolean): () => void {
    const declaration = ++this.declarations;
    if (on) this.undeclared = Infinity;
    return () => {
      if (!on && declaration === this.declarations) this.undeclared = ++this.clock;
    };
  }

  received({ headers, records, entityType: type }: ReceivedPage): void {
    const worker = workerOf(String(headers['x-delivery-id']));
    const check = this.checked.get(collectorOf(type)) ?? this.checked.get(worker) ?? 0;
    const mayBeShared = (account: string) =>
      this.keys.some((key) => key.account === account && !(this.ended.get(subscriptionId(key))! < check));
    for (const record of records) {
      const named = accountsNamed(type, record);
      const unshared = named.filter((account) => !mayBeShared(account));
      const isWhole = 'note' in record && !accountsIn(record['note']).some(mayBeShared);
      if (unshared.length > 0 || isWhole) this.leaks.push(`${type} ${record.id}: ${unshared.join()}`);
      // Whose earlier records nobody shares: those that were there before any grant.
      const isUnsharedThen = (account: string) => isOnlyNew(account) && !this.mayBeWhole(account, check);
      const isEarlier = String(record['note']).startsWith(`v${EARLIEST} `) && named.some(isUnsharedThen);
      if (isEarlier) this.leaks.push(`${type} ${record.id}: from before its grant`);
      const isDeclared = !('declared' in record) || this.undeclared >= check;
      if (hasUndeclared(record) || !isDeclared)
        this.leaks.push(`${type} ${record.id}: ${JSON.stringify(record)}`);
    }
  }

  private mayBeWhole(account: string, check: number): boolean {
    const of = this.keys.filter((key) => key.account === account).map(subscriptionId);
    return of.some((one) => (this.wholeUntil.get(one) ?? -1) >= check);
  }

  /** What is owed of the accounts shared now, and was not given. */
  async missing(store: Store, channel: string): Promise<string[]> {
    // By every grant that stands. One that was revoked owes nothing, although another may share the account still.
    const granted = await listGranted(store, channel);
    const shared = [...new Set(granted.map(({ account }) => account))];
    const byGrant = granted.map((one) => ({
      since: this.lastGrant.get(subscriptionId(one))!,
      account: one.account,
      from: one.from ?? null,
    }));
    const owed: Owed[] = [...this.resets, ...byGrant];
    const isOfGrant = (
      type: (typeof TYPES)[number],
      { position, account_ids, left_account_ids = [] }: RecordDocument,
    ) =>
      granted.some(
        ({ account, from }) =>
          position > (from?.[type] ?? 0) && [...account_ids, ...left_account_ids].includes(account),
      );
    const of = { $in: shared };
    const found = TYPES.map(async (type) => {
      const kept = await records(store, type)
        .find({ $or: [{ account_ids: of }, { left_account_ids: of }] })
        .toArray();
      return owed.flatMap((debt) => {
        const from = 'account' in debt ? (debt.from?.[type] ?? 0) : 0;
        const due = kept.filter((record) => record.position > from && isOfGrant(type, record));
        return this.notGiven(type, debt, due);
      });
    });
    return (await Promise.all(found)).flat();
  }

  /** What was not confirmed since, at the content that it has now, with the account named where it is of it. */
  private notGiven(type: EntityType, owed: Owed, kept: RecordDocument[]): string[] {
    const sent = this.customer.pages
      .slice(owed.since)
      .filter(({ status, entityType }) => status === 200 && entityType === type)
      .flatMap((page) => page.records);
    return kept
      .filter((record) => isOwed(type, owed, record))
      .filter((record) => !sent.some((one) => isGiven(type, owed, record, one)))
      .map(({ _id, updated_at }) => `${type} ${_id} ${formatInstant(updated_at)}`);
  }
}

const isOnlyNew = (account: string) => account.endsWith(`-${ONLY_NEW}`);

const collectorOf = (type: string) => `collector of ${type}`;

function isOwed(type: EntityType, owed: Owed, { _id, account_ids, left_account_ids = [] }: RecordDocument) {
  if (!('account' in owed)) return owed.type === type && owed.ids.includes(_id);
  return account_ids.includes(owed.account) || left_account_ids.includes(owed.account);
}

function isGiven(type: EntityType, owed: Owed, record: RecordDocument, sent: Received): boolean {
  if (sent.id !== record._id || sent.updated_at !== formatInstant(record.updated_at)) return false;
  if (!('account' in owed) || !record.account_ids.includes(owed.account)) return true;
  return accountsNamed(type, sent).includes(owed.account);
}
