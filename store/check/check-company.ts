import { msNow } from '../../domain/time/elapsed';
import { createHash } from 'node:crypto';
import {
  type CheckedRecord,
  type FindingName,
  findingsIn,
  type Met,
} from '../../domain/records/check/findings';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import { MisspeltFields } from '../../domain/records/misspelt-fields';
import { phonesOf } from '../../domain/records/render-record';
import type { Integration } from '../callers/integrations';
import { readPushActivity } from '../push/push-activity';
import { idsOfCompany, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { Referred } from './referred';

type Fields = Readonly<Record<string, unknown>>;

export interface CompanyCheck {
  /** Records that are not deleted, by type. */
  checked: Record<EntityType, number>;
  met: Map<FindingName, Met>;
}

const EXAMPLES = 5;
const BATCH = { records: 200, bytes: 4 * 2 ** 20 };
const MOST_ACCOUNTS_OF_PHONE = 25;
const PHONE_BUCKETS = 2 ** 22;

/**
 * Walks all records of an integration's company that are not deleted, by their ids, and notes what is wrong with them.
 * It keeps in memory a batch, the references met last, and a few bytes for each ticket.
 * @returns what is known after each batch; the last one is the whole
 */
export async function* checkCompany(
  store: Store,
  { _id, company: { id: company } }: Pick<Integration, '_id' | 'company'>,
  now = msNow(),
): AsyncGenerator<CompanyCheck> {
  const found = new Found(idsOfCompany(company).from.length);
  const across = new AcrossRecords(found);
  const names = new MisspeltFields();
  const referred = {
    account: new Referred(store, 'accounts'),
    contract: new Referred(store, 'contracts'),
    elevator: new Referred(store, 'elevators'),
  };
  const checked = { accounts: 0, contracts: 0, tickets: 0, settlements: 0 };
  for (const type of ENTITY_TYPES) {
    for await (const batch of batchesOfCompany(store, type, company)) {
      const read = batch.map(({ _id, wire }) => ({ _id, record: shownIn(type, wire) }));
      const named = read.map(({ record }) => referencesOf(record));
      for (const kind of KINDS) await referred[kind].read(named.flatMap((of) => of[kind]));
      for (const [place, { _id, record }] of read.entries()) {
        const states = KINDS.map((kind) => [kind, named[place]![kind].map((id) => referred[kind].of(id))]);
        const one = { type, record, referred: Object.fromEntries(states) as CheckedRecord['referred'], now };
        for (const [name, beside] of findingsIn(one, names)) found.add(name, type, _id, beside);
        across.see(one, _id);
      }
      checked[type] += batch.length;
      yield { checked, met: found.met };
    }
  }
  await across.end(store, company);
  const pushed = (await readPushActivity(store)).get(_id);
  if (pushed?.silent_at && pushed.silent_at.getTime() <= now)
    found.met.set('silent', { count: 1, examples: [`integration ${_id}`] });
  yield { checked, met: found.met };
}

class Found {
  readonly met = new Map<FindingName, Met>();

  constructor(private readonly prefix: number) {}

  add(name: FindingName, type: EntityType, id: string, beside?: string): void {
    const met = this.met.get(name) ?? { count: 0, examples: [] };
    this.met.set(name, met);
    if (++met.count > EXAMPLES) return;
    met.examples.push(`${type} ${id.slice(this.prefix)}${beside === undefined ? '' : `: ${beside}`}`);
  }
}

interface TicketFields {
  ticket_number?: unknown;
  status?: unknown;
  elevator?: { id?: string } | null;
}

/** What only several records show. */
class AcrossRecords {
  private readonly ticketNumbers = new Set<number>();
  private readonly accountsOfPhone = new Uint8Array(PHONE_BUCKETS);
  private readonly perhapsOnMany = new Set<string>();

  constructor(private readonly found: Found) {}

  see({ type, record }: CheckedRecord, id: string): void {
    if (type === 'accounts') for (const phone of phonesOf(record['phones'])) this.countPhone(phone);
    const { ticket_number, status, elevator } = record as TicketFields;
    if (type !== 'tickets' || typeof ticket_number !== 'string' || status === 'void') return;
    const key = hashOf(`${elevator?.id ?? ''}\n${ticket_number}`);
    if (this.ticketNumbers.has(key)) this.found.add('ticket_number_twice', type, id);
    this.ticketNumbers.add(key);
  }

  /**
   * Counts accounts in buckets that several phones share. Every phone of more than 25 accounts meets a full bucket; `end`
   * checks each phone that did.
   */
  private countPhone(phone: string): void {
    const bucket = Number(phone) % PHONE_BUCKETS;
    const count = this.accountsOfPhone[bucket]!;
    if (count === MOST_ACCOUNTS_OF_PHONE) this.perhapsOnMany.add(phone);
    else this.accountsOfPhone[bucket] = count + 1;
  }

  async end(store: Store, company: string): Promise<void> {
    const { from, to } = idsOfCompany(company);
    for (const phones of this.perhapsOnMany) {
      const carriers = await records(store, 'accounts')
        .find({ phones, deleted_at: null, _id: { $gt: from, $lt: to } }, { projection: { _id: 1 } })
        .limit(MOST_ACCOUNTS_OF_PHONE + 1)
        .toArray();
      const ids = carriers.map(({ _id }) => _id).sort(); // the same one is named each time
      if (ids.length > MOST_ACCOUNTS_OF_PHONE) this.found.add('phone_on_many_accounts', 'accounts', ids[0]!);
    }
  }
}

/** 48 bits: with a million tickets, fewer than one check in five hundred has two equal hashes by chance. */
const hashOf = (text: string) => createHash('sha256').update(text).digest().readUIntBE(0, 6);

const KINDS = ['account', 'contract', 'elevator'] as const;
type Kind = (typeof KINDS)[number];

/** The ids that a record names, of itself and in its lists. */
function referencesOf(record: Fields): Record<Kind, string[]> {
  const places = [record, ...Object.values(record).filter(Array.isArray).flat()] as (Fields | null)[];
  const of = (kind: Kind) =>
    places.flatMap((place) => {
      const id = (place?.[kind] as { id?: unknown } | null | undefined)?.id;
      return typeof id === 'string' ? [id] : [];
    });
  return { account: of('account'), contract: of('contract'), elevator: of('elevator') };
}

const shownIn = (type: EntityType, wire: Buffer) =>
  (JSON.parse(wire.toString('utf8')) as Record<string, Fields>)[WRAPPER_KEYS[type]]!;

type Stored = Pick<RecordDocument, '_id' | 'wire'>;

/** By the index on `_id`, off the primary where there is a secondary: a check may read what is a second old. */
async function* batchesOfCompany(store: Store, type: EntityType, company: string): AsyncGenerator<Stored[]> {
  const { from, to } = idsOfCompany(company);
  const found = records(store, type)
    .find<Stored & Pick<RecordDocument, 'deleted_at'>>(
      { _id: { $gt: from, $lt: to } },
      {
        projection: { wire: 1, deleted_at: 1 },
        batchSize: BATCH.records,
        readPreference: 'secondaryPreferred',
      },
    )
    .sort({ _id: 1 });
  let [batch, bytes]: [Stored[], number] = [[], 0];
  for await (const { _id, wire, deleted_at } of found) {
    if (deleted_at !== null) continue;
    batch.push({ _id, wire });
    bytes += wire.length;
    if (batch.length < BATCH.records && bytes < BATCH.bytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
