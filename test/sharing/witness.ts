import { MongoBulkWriteError } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import { formatInstant } from '../../domain/instants';
import type { Store } from '../../store/connect';
import { type RecordDocument, records } from '../../store/records';
import { readSharedAccounts } from '../../store/subscriptions';
import { isReset } from '../commit-order/both-halves';
import type { Around, Call } from '../commit-order/rewire';
import type { FakeCustomer, ReceivedPage } from '../setup/fake-customer';
import { insertedBy, isFirstGrant, isNewGrant, isRevoke } from './share-calls';
import { TYPES } from './share-acts';
import { accountsIn } from './share-company';
import { workerOf } from './share-worker';

/** Owed in pages from the one numbered `since`: everything of an account, or what a reset has promised. */
type Owed = { since: number } & ({ account: string } | { type: EntityType; ids: string[] });

/** Sees all calls of a case in their order, and says what they owe to the customer and to the farmer. */
export class Witness {
  /** What each reset promised. */
  private readonly resets: Owed[] = [];
  /** For each account the pages there were before it was last granted. */
  private readonly lastGrant = new Map<string, number>();
  /** What was posted in spite of a revoke that had been answered. */
  readonly leaks: string[] = [];
  private clock = 0;
  private readonly checked = new Map<string, number>();
  private readonly granted = new Set<string>();
  /** Granted now or before. */
  private readonly known = new Set<string>();
  /** By account and partner: when the farmer had the answer that it is not shared. Not there: it may be shared. */
  private readonly ended = new Map<string, number>();

  constructor(
    private readonly customer: FakeCustomer,
    accounts: string[],
    private readonly partners: string[],
  ) {
    for (const account of accounts) for (const partner of partners) this.ended.set(key(account, partner), 0);
  }

  /** The last look at the channel before a POST is the one that counts (commit-order, sharing). */
  atWorker =
    (worker: string): Around =>
    ({ collection, run }) => {
      if (collection === 'channels') this.checked.set(worker, ++this.clock);
      return run();
    };

  atFarmer =
    (accounts: string[], partner: string): Around =>
    async (call) => {
      if (isRevoke(call)) for (const account of accounts) this.granted.delete(key(account, partner));
      const since = this.customer.pages.length;
      const begun = this.begunBy(call, accounts, partner);
      const before = begun.map((account) => this.ended.get(key(account, partner)));
      for (const account of begun) this.ended.delete(key(account, partner));
      const { answer, error, duplicates } = await written(call);
      begun.forEach((account, index) => {
        const of = key(account, partner);
        if (duplicates.includes(index)) return before[index] && this.ended.set(of, before[index]);
        this.granted.add(of);
        this.known.add(of);
        return this.lastGrant.set(account, since);
      });
      if (error) throw error;
      return answer;
    };

  /** The accounts that a call grants, unless somebody else has inserted them meanwhile. */
  private begunBy(call: Call, accounts: string[], partner: string): string[] {
    if (isFirstGrant(call)) return insertedBy(call).map(({ account }) => account as string);
    if (!isNewGrant(call)) return [];
    const revoked = (of: string) => this.known.has(of) && !this.granted.has(of);
    return accounts.filter((account) => revoked(key(account, partner)));
  }

  atReset =
    (type: EntityType, ids: string[]): Around =>
    (call) => {
      if (isReset(call)) this.resets.push({ since: this.customer.pages.length, type, ids });
      return call.run();
    };

  revokeAnswered(account: string, partner: string): void {
    const of = key(account, partner);
    if (!this.granted.has(of) && !this.ended.has(of)) this.ended.set(of, ++this.clock);
  }

  received({ headers, records, entityType }: ReceivedPage): void {
    const check = this.checked.get(workerOf(String(headers['x-delivery-id']))) ?? 0;
    for (const { id, note } of records) {
      const ended = accountsIn(note).flatMap((account) =>
        this.partners.map((partner) => this.ended.get(key(account, partner)) ?? Infinity),
      );
      if (Math.max(...ended) < check) this.leaks.push(`${entityType} ${id}: ${String(note)}`);
    }
  }

  /** What is owed of the accounts shared now, and was not given. */
  async missing(store: Store, channel: string): Promise<string[]> {
    const shared = [...(await readSharedAccounts(store, channel))];
    const ofAccount = (account: string) => ({ since: this.lastGrant.get(account)!, account });
    const owed: Owed[] = [...this.resets, ...shared.map(ofAccount)];
    const found = TYPES.map(async (type) => {
      const kept = await records(store, type)
        .find({ account_ids: { $in: shared } })
        .toArray();
      return owed.flatMap((debt) => this.notGiven(type, debt, kept));
    });
    return (await Promise.all(found)).flat();
  }

  /** What was not confirmed since, at the content that it has now. */
  private notGiven(type: string, owed: Owed, kept: RecordDocument[]): string[] {
    const pages = this.customer.pages.slice(owed.since).filter(({ status }) => status === 200);
    const sent = new Set(
      pages.flatMap((page) =>
        page.records.map(({ id, updated_at }) => `${page.entityType} ${id} ${updated_at}`),
      ),
    );
    return kept
      .filter(({ _id, account_ids }) =>
        'account' in owed ? account_ids.includes(owed.account) : owed.type === type && owed.ids.includes(_id),
      )
      .map(({ _id, updated_at }) => `${type} ${_id} ${formatInstant(updated_at)}`)
      .filter((version) => !sent.has(version));
  }
}

/** Which of a bulk of inserts met what was there already: these have failed, all others have not. */
async function written(call: Call) {
  try {
    return { answer: await call.run(), duplicates: [] as number[] };
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    return { error, duplicates: [error.writeErrors].flat().map(({ index }) => index) };
  }
}

const key = (account: string, partner: string) => `${account} ${partner}`;
