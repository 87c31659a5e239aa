import type { EntityType } from '../../domain/entity-types';
import { formatInstant } from '../../domain/instants';
import type { Store } from '../../store/connect';
import { type RecordDocument, records } from '../../store/records';
import { readSharedAccounts } from '../../store/subscriptions';
import { isReset } from '../commit-order/both-halves';
import type { Around } from '../commit-order/rewire';
import type { FakeCustomer, ReceivedPage } from '../setup/fake-customer';
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
    (account: string, partner: string): Around =>
    async ({ collection, args, run }) => {
      const state = (args[1] as { $set?: { state?: string } } | undefined)?.$set?.state;
      if (collection !== 'subscriptions' || !state) return run();
      if (state === 'revoked') this.granted.delete(key(account, partner));
      else this.granted.add(key(account, partner));
      if (state === 'granted') this.ended.delete(key(account, partner));
      const since = this.customer.pages.length;
      const answer = await run(); // a grant of what is granted is a duplicate, and throws
      if (state === 'granted') this.lastGrant.set(account, since);
      return answer;
    };

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

const key = (account: string, partner: string) => `${account} ${partner}`;
