import { createHash } from 'node:crypto';
import { CanonicalJson } from './canonical-json';
import { WRAPPER_KEYS, type EntityType } from './entity-types';
import { formatInstant, parseInstant } from './instants';
import { MemberLayouts } from './member-layout';
import type { PushedRecord } from './validate-push';

export interface Company {
  readonly id: string;
  readonly name: string;
}

/** A pushed record as it is stored, all but the two instants that only the store knows. */
export interface RenderedRecord {
  /** `<company_id>-<remote_id>`. */
  readonly id: string;
  /** The accounts by which sharing is decided (records.md). */
  readonly account_ids: string[];
  /** Accounts only: the last ten digits of each phone. */
  readonly phones?: string[];
  /** Milliseconds, if the ERP sent it; else the record's is the first time stored. */
  readonly created_at?: number;
  readonly deleted_at: number | null;
  /** Of everything shown but `created_at` and `updated_at`. */
  readonly hash: Buffer;
  /** The wrapper as JSON up to its last three fields, which `finishWire` adds. */
  readonly head: Buffer;
}

const PHONE_DIGITS = 10;
const HASH_BYTES = 16;

// What the wrapper says itself; the ERP's own properties of these names give way.
const OURS = ['id', 'remote_id', 'name', 'company', 'created_at', 'updated_at', 'deleted_at'];
const REST = new MemberLayouts(new Set(OURS));
const REST_BESIDE_SOURCE = new MemberLayouts(new Set([...OURS, 'source_updated_at']));

/** One record as contract 3 shows it. */
export function renderRecord(type: EntityType, record: PushedRecord, company: Company): RenderedRecord {
  const created = instantOf(record['created_at']);
  const deleted = instantOf(record['deleted_at']) ?? null;
  const head = Buffer.from(headOf(type, record, company));
  return {
    id: `${company.id}-${record.id}`,
    account_ids: [...new Set(accountsOf(type, record))].map((id) => `${company.id}-${id}`),
    ...(type === 'accounts' && { phones: phonesOf(record) }),
    ...(created !== undefined && { created_at: created }),
    deleted_at: deleted,
    hash: createHash('sha256').update(head).update(String(deleted)).digest().subarray(0, HASH_BYTES),
    head,
  };
}

/** The wrapper's finished bytes: what goes into a page. */
export function finishWire(
  rendered: Pick<RenderedRecord, 'head' | 'deleted_at'>,
  createdAt: Date | number,
  updatedAt: Date | number,
): Buffer {
  const deleted = rendered.deleted_at === null ? 'null' : `"${formatInstant(rendered.deleted_at)}"`;
  const tail =
    `"created_at":"${formatInstant(createdAt)}",` +
    `"updated_at":"${formatInstant(updatedAt)}","deleted_at":${deleted}}}`;
  const wire = Buffer.allocUnsafe(rendered.head.length + tail.length);
  rendered.head.copy(wire);
  wire.write(tail, rendered.head.length, 'latin1');
  return wire;
}

function headOf(type: EntityType, record: PushedRecord, company: Company): string {
  const json = new CanonicalJson(company.id);
  const source = instantOf(record['updated_at']);
  const rest = json.members(record, source === undefined ? REST : REST_BESIDE_SOURCE);
  return (
    `{"${WRAPPER_KEYS[type]}":{"id":${json.value(`${company.id}-${record.id}`)},"remote_id":${json.value(record.id)},` +
    (record['name'] === undefined ? '' : `"name":${json.value(record['name'])},`) +
    `"company":{"id":${json.value(company.id)},"name":${json.value(company.name)}},` +
    (source === undefined ? '' : `"source_updated_at":"${formatInstant(source)}",`) +
    (rest && `${rest},`)
  );
}

function accountsOf(type: EntityType, record: PushedRecord): string[] {
  if (type === 'accounts') return [record.id];
  const named = [record, ...itemsOf(record['splits']), ...itemsOf(record['payees'])];
  return named.map((item) => item['account_id']).filter((id) => typeof id === 'string');
}

function phonesOf(record: PushedRecord): string[] {
  const phones = itemsOf(record['phones']).map((item) => item['phone']);
  return [
    ...new Set(
      phones.filter((phone) => typeof phone === 'string').map((phone) => phone.slice(-PHONE_DIGITS)),
    ),
  ];
}

/** The objects of a list; `splits` and `payees` are typed only where records.md lists them. */
function itemsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}
