import type { Document, Filter, FindCursor } from 'mongodb';
import { addTo } from '../../domain/records/add-to';
import type { EntityType } from '../../domain/records/entity-types';
import { carriesCompany } from '../channels/channels';
import {
  batchesOf,
  byFirstId,
  companyOfId,
  idsOfCompany,
  ofCompanies,
  type RecordDocument,
  records,
} from '../records/records';
import type { Store } from '../store';
import {
  definedOptions,
  MAX_IN_LIST,
  readBatches,
  type ReadOptions,
  seeksOf,
} from '../window/seek-positions';
import { isOfSelection, type Selection } from '../window/selection';
import { type DigestBase, isPending } from './digest-base';

/** A record that the customer already holds at this version, unless it is pending. */
export interface DigestRecord {
  id: string;
  updated_at: Date;
  pending: boolean;
}

const VERSION = { position: 1, updated_at: 1 };
const WITH_ACCOUNTS = { ...VERSION, company_id: 1, account_ids: 1, left_account_ids: 1 };
type Found = Pick<RecordDocument, '_id' | keyof typeof WITH_ACCOUNTS>;

const BATCH = 2_000;
// About 15 MB.
const MOST_HELD = 50_000;

interface WalkOptions extends ReadOptions {
  /** Told how many records were read, others' included, before what was found among them is yielded. */
  passed?: ((records: number) => Promise<void>) | undefined;
}

/**
 * The channel's records in the order of their ids' bytes, each once; a batch may be empty. What farmers share is read by account, so
 * that it does not cost a walk over what others have stored. A company of which more than `mostHeld` are shared is walked.
 */
export async function* digestRecords(
  store: Store,
  type: EntityType,
  base: DigestBase,
  options: WalkOptions,
  mostHeld = MOST_HELD,
): AsyncGenerator<DigestRecord[]> {
  const { companies, shared } = base.selection;
  if (shared) {
    for (const group of inGroups(base.selection, shared))
      yield* ofGroup(store, type, base, { group, mostHeld, ...options });
  } else if (companies.length === 0) yield* walkIds(store, type, base, {}, options);
  else
    for (const range of companies.map(idsOfCompany).sort(byFirstId))
      yield* walkIds(store, type, base, inRange(range), options);
}

/** A company and those of its accounts that are shared. */
interface Sharing extends IdRange {
  company: string;
  accounts: string[];
}

type IdRange = ReturnType<typeof idsOfCompany>;

const inRange = ({ from, to }: IdRange): Filter<RecordDocument> => ({ _id: { $gte: from, $lt: to } });

/** The companies in the order of their ids, so many together as a query takes accounts: a lender has few of each of a thousand. */
function inGroups(selection: Selection, shared: ReadonlySet<string>): Sharing[][] {
  const byCompany = new Map<string, string[]>();
  for (const account of shared) addTo(byCompany, companyOfId(account), account);
  const sharing = [...byCompany]
    .filter(([company]) => carriesCompany(selection, company))
    .map(([company, accounts]) => ({ company, accounts, ...idsOfCompany(company) }))
    .sort(byFirstId);
  const groups: Sharing[][] = [];
  let held = 0;
  for (const one of sharing) {
    held += one.accounts.length;
    if (groups.length > 0 && held <= MAX_IN_LIST) groups.at(-1)!.push(one);
    else {
      groups.push([one]);
      held = one.accounts.length;
    }
  }
  return groups;
}

/** What companies share: by account, or by a walk over each of which too much is shared. */
async function* ofGroup(
  store: Store,
  type: EntityType,
  base: DigestBase,
  { group, ...options }: OfGroup,
): AsyncGenerator<DigestRecord[]> {
  const held = yield* ofAccounts(store, type, base, { group, ...options });
  if (held) yield* batchesOf(held, BATCH);
  else if (group.length === 1) yield* walkIds(store, type, base, inRange(group[0]!), options);
  else for (const one of group) yield* ofGroup(store, type, base, { group: [one], ...options });
}

interface OfGroup extends WalkOptions {
  group: Sharing[];
  mostHeld: number;
}

/** An id never changes, so a walk over the ids meets every record once, whatever changes concurrently. */
async function* walkIds(
  store: Store,
  type: EntityType,
  base: DigestBase,
  ids: Filter<RecordDocument>,
  { passed, ...options }: WalkOptions,
): AsyncGenerator<DigestRecord[]> {
  const { selection } = base;
  const fields = selection.shared ? WITH_ACCOUNTS : VERSION;
  for await (const found of readBatches(find(store, type, ids, fields, options).sort({ _id: 1 }))) {
    await passed?.(found.length);
    const ours = selection.shared ? found.filter((one) => isOfSelection(selection, one)) : found;
    yield ours.map((one) => told(base, one));
  }
}

/**
 * What accounts of some companies share, in the order of ids; undefined where that is more than `mostHeld`. A record that changes account
 * while they are read can be missed at both. It has then changed since the ceiling, and what has is read upwards at the end, where no
 * record can escape. Yields after each batch, so that whoever waits sees that it continues.
 */
async function* ofAccounts(
  store: Store,
  type: EntityType,
  base: DigestBase,
  { group, mostHeld, passed, ...options }: OfGroup,
): AsyncGenerator<DigestRecord[], DigestRecord[] | undefined> {
  const { selection, ceiling } = base;
  const held = new Map<string, Found>();
  const shared = new Set(group.flatMap(({ accounts }) => accounts));
  const seeks = seeksOf({ ...selection, companies: [], shared }, Infinity);
  const changed = {
    ...ofCompanies({ companies: group.map(({ company }) => company) }),
    position: { $gt: ceiling },
  };
  for (const filter of [...seeks.map((seek) => seek.filter), changed]) {
    const cursor = find(store, type, filter, WITH_ACCOUNTS, options);
    for await (const found of readBatches(filter === changed ? cursor.sort({ position: 1 }) : cursor)) {
      await passed?.(found.length);
      for (const one of found) {
        const known = held.get(one._id);
        const isNewer = !known || known.position < one.position;
        if (isNewer && isOfSelection(selection, one)) held.set(one._id, one);
      }
      if (held.size > mostHeld) return undefined;
      yield [];
    }
  }
  const keyed = [...held.values()].map((found) => ({ found, key: Buffer.from(found._id) }));
  return keyed.sort((one, other) => one.key.compare(other.key)).map(({ found }) => told(base, found));
}

const told = (base: DigestBase, found: Found): DigestRecord => ({
  id: found._id,
  updated_at: found.updated_at,
  pending: isPending(base, found),
});

const find = (
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  projection: Document,
  options: ReadOptions,
): FindCursor<Found> =>
  records(store, type)
    .find<Found>(filter, { ...definedOptions(options), projection })
    .batchSize(BATCH);
