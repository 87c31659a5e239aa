import { createHash } from 'node:crypto';
import { CanonicalJson, MemberLayouts } from './canonical-json';
import { type EntityType, WRAPPER_KEYS } from './entity-types';
import { isBareDeletion, isDeletedAnew, isUndatedDeletion } from './deletion';
import { formatInstant, parseInstant } from '../time/instants';
import type { PushedRecord } from './validate-push';

export interface Company {
  readonly id: string;
  readonly name: string;
}

/** A pushed record in the form that is stored. Only `created_at` and `updated_at` are missing, which the store adds. */
export interface RenderedRecord {
  /** `<company_id>-<remote_id>`. */
  readonly id: string;
  /** The accounts by which sharing is decided (docs/erp.md). */
  readonly account_ids: string[];
  /**
   * Accounts only: the phones of ten digits, or of eleven with a leading 1, as ten digits. Only such a phone can be a
   * farmer's.
   */
  readonly phones?: string[];
  /** For an account pushed without `phones`: the offset of its empty list in `head`, used by `keepPhones`. */
  readonly phones_at?: number;
  /** In milliseconds, if the ERP sent it; otherwise the time of the first push counts. */
  readonly created_at?: number;
  readonly deleted_at: number | null;
  /** Pushed with `deleted: true` and without a time; `asStored` adds the time: a stored one, or `anew` its own. */
  readonly deletes?: 'again' | 'anew';
  /** A deletion without other fields; `asStored` takes those from the stored record. */
  readonly keepsContent?: true;
  /** The hash of everything shown except `created_at` and `updated_at`. */
  readonly hash: Buffer;
  /** The wrapper as JSON up to its last three fields, which `finishWire` adds. */
  readonly head: Buffer;
}

const PHONE = /^1?(\d{10})$/;
const HASH_BYTES = 16;

// The service writes these fields itself. They replace the ERP's properties of the same names.
const OURS = ['id', 'remote_id', 'name', 'company', 'created_at', 'updated_at', 'deleted_at', 'deleted'];
const without = (...more: string[]) => new MemberLayouts(new Set([...OURS, ...more]));
const REST = { accounts: without('phones'), others: without() };
const REST_BESIDE_SOURCE = {
  accounts: without('phones', 'source_updated_at'),
  others: without('source_updated_at'),
};
const NO_PHONES = '[]';

/** Renders one record as the feed shows it (docs/contract.md C3). */
export function renderRecord(type: EntityType, record: PushedRecord, company: Company): RenderedRecord {
  const created = instantOf(record['created_at']);
  const deleted = instantOf(record['deleted_at']) ?? null;
  const [before, after] = headOf(type, record, company);
  const head = Buffer.from(before + after);
  return {
    id: `${company.id}-${record.id}`,
    account_ids: [...new Set(accountsOf(type, record))].map((id) => `${company.id}-${id}`),
    ...(type === 'accounts' && { phones: phonesOf(record['phones']) }),
    ...(keepsPhones(type, record) && { phones_at: Buffer.byteLength(before) - NO_PHONES.length }),
    ...(created !== undefined && { created_at: created }),
    deleted_at: deleted,
    ...(isUndatedDeletion(record) && { deletes: isDeletedAnew(record) ? 'anew' : 'again' }),
    ...(isBareDeletion(record) && { keepsContent: true }),
    hash: hashOf(head, deleted),
    head,
  };
}

/**
 * Adds the stored phones to an account that was pushed without `phones`: an ERP that does not send them must not lock
 * the farmer out. Other records are returned unchanged.
 * @param wire of the stored record, if any
 */
export function keepPhones(rendered: RenderedRecord, wire: Buffer | undefined): RenderedRecord {
  const { phones_at: at, ...account } = rendered;
  if (at === undefined || wire === undefined) return rendered;
  const stored = JSON.parse(wire.toString('utf8')) as { account: { phones?: unknown[] } };
  const phones = stored.account.phones ?? [];
  if (phones.length === 0) return rendered;
  // References in the stored JSON are resolved already, so no company is needed.
  const json = Buffer.from(new CanonicalJson('').value(phones));
  const { head: without, deleted_at } = rendered;
  const head = Buffer.concat([without.subarray(0, at), json, without.subarray(at + NO_PHONES.length)]);
  return { ...account, phones: phonesOf(phones), hash: hashOf(head, deleted_at), head };
}

/** The stored version of a record that is pushed again. */
export interface StoredRecord {
  readonly account_ids: string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  /** Read only where a part of it is kept. */
  readonly wire?: Buffer;
}

/** Whether `asStored` needs the bytes of the stored record. */
export const keepsOfStored = (type: EntityType, record: PushedRecord): boolean =>
  keepsPhones(type, record) || isBareDeletion(record);

const keepsPhones = (type: EntityType, { phones }: PushedRecord) =>
  type === 'accounts' && phones === undefined;

/**
 * Completes a record from its stored version: an account's phones, the time of deletion, or all other fields.
 * @param at the time of storing
 */
export function asStored(
  rendered: RenderedRecord,
  stored: StoredRecord | undefined,
  at: Date,
): RenderedRecord {
  const kept =
    rendered.keepsContent && stored ? keepContent(rendered, stored) : keepPhones(rendered, stored?.wire);
  if (!kept.deletes && !kept.keepsContent) return kept;
  const earlier = kept.deletes === 'again' ? stored?.deleted_at : null;
  const deleted_at = kept.deletes ? (earlier ?? at).getTime() : kept.deleted_at;
  return { ...kept, deleted_at, hash: hashOf(kept.head, deleted_at) };
}

const NO_HEAD = Buffer.alloc(0);

/**
 * The stored record, marked as deleted. Its last three fields are cut off; rendering them again gives their
 * length.
 */
function keepContent({ phones_at: _, ...deletion }: RenderedRecord, stored: StoredRecord): RenderedRecord {
  const { account_ids, created_at, updated_at, deleted_at, wire } = stored;
  const tail = finishWire(
    { head: NO_HEAD, deleted_at: deleted_at && deleted_at.getTime() },
    created_at,
    updated_at,
  );
  const head = wire!.subarray(0, wire!.length - tail.length);
  const shown = deletion.phones && (JSON.parse(wire!.toString('utf8')) as { account: { phones?: unknown } });
  return { ...deletion, account_ids, head, ...(shown && { phones: phonesOf(shown.account.phones) }) };
}

function hashOf(head: Buffer, deletedAt: number | null): Buffer {
  const hash = createHash('sha256').update(head).update(String(deletedAt));
  // As text first: `digest()` makes a buffer with memory of its own, which costs more.
  return Buffer.from(hash.digest('binary').slice(0, HASH_BYTES), 'binary');
}

let last = { at: NaN, text: '' };

/** As text. It is kept, as all records of a transaction have the same time. */
function stampOf(at: Date | number): string {
  const ms = Number(at);
  if (ms !== last.at) last = { at: ms, text: formatInstant(ms) };
  return last.text;
}

/** The finished bytes of a record for a page. */
export function finishWire(
  rendered: Pick<RenderedRecord, 'head' | 'deleted_at'>,
  createdAt: Date | number,
  updatedAt: Date | number,
): Buffer {
  const deleted = rendered.deleted_at === null ? 'null' : `"${formatInstant(rendered.deleted_at)}"`;
  const updated = stampOf(updatedAt);
  const created = Number(createdAt) === Number(updatedAt) ? updated : formatInstant(createdAt);
  const tail = `"created_at":"${created}","updated_at":"${updated}","deleted_at":${deleted}}}`;
  const wire = Buffer.allocUnsafe(rendered.head.length + tail.length);
  rendered.head.copy(wire);
  wire.write(tail, rendered.head.length, 'latin1');
  return wire;
}

/** The head in two parts, split after an account's phones. */
function headOf(type: EntityType, record: PushedRecord, company: Company): [string, string] {
  const json = new CanonicalJson(company.id);
  const source = instantOf(record['updated_at']);
  const rest = json.members(
    record,
    (source === undefined ? REST : REST_BESIDE_SOURCE)[type === 'accounts' ? type : 'others'],
  );
  const before =
    `{"${WRAPPER_KEYS[type]}":{"id":${json.value(`${company.id}-${record.id}`)},"remote_id":${json.value(record.id)},` +
    (record['name'] === undefined ? '' : `"name":${json.value(record['name'])},`) +
    `"company":{"id":${json.value(company.id)},"name":${json.value(company.name)}},` +
    (source === undefined ? '' : `"source_updated_at":"${formatInstant(source)}",`) +
    (type === 'accounts' ? `"phones":${json.value(record['phones'] ?? [])}` : '');
  return [before, (type === 'accounts' ? ',' : '') + (rest && `${rest},`)];
}

function accountsOf(type: EntityType, record: PushedRecord): string[] {
  if (type === 'accounts') return [record.id];
  const named = [record, ...itemsOf(record['splits']), ...itemsOf(record['payees'])];
  return named.map((item) => item['account_id']).filter((id) => typeof id === 'string');
}

/** The phones of a pushed account, or of a stored one, whose JSON has the same form. */
export function phonesOf(list: unknown): string[] {
  const phones = itemsOf(list).map(({ phone }) => phone);
  return [...new Set(phones.flatMap((phone) => (typeof phone === 'string' && PHONE.exec(phone)?.[1]) || []))];
}

/** The objects of a list; `splits` and `payees` are typed only where docs/erp.md lists them. */
function itemsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}
