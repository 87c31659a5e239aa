import { COMMANDS, commandNamed, type Command, type RecordType } from './commands';
import { type EntityType, isEntityType } from './entity-types';
import { type ErpWord, WORD, type Words, wrongWord } from './erp-word';
import { refuseGivenNames } from './given-names';
import { recordNormalizer } from './normalize-record';
import { deletionAfter, deletionSchema, isBareDeletion, isUndatedDeletion } from './deletion';
import { isJsonObject } from './strict-json';
import { recordValidator, type RecordValidator } from './record-validator';
import { MessageCollector, type ValidationMessages } from './validation-messages';

export const MAX_COMMANDS = 100;
export const MAX_RECORDS = 5000;
/** The size of an unpacked request body (docs/contract.md A8). */
export const MAX_PUSH_MIB = 16;

/** One record as the ERP sent it, validated. */
export type PushedRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The records of one push by type, in the order of the request, without repeated ids. */
export interface Push {
  readonly records: Readonly<Record<EntityType, PushedRecord[]>>;
  readonly elevators: PushedRecord[];
  readonly words: Words;
}

export const recordsOf = (push: Push, type: RecordType): readonly PushedRecord[] =>
  type === 'elevators' ? push.elevators : push.records[type];

/** The path of the record that counts for an id in a valid push body: the last one. */
export function pathOfRecord(body: unknown, type: RecordType, id: string): string {
  const found = batchesOf(body, new MessageCollector()).filter(({ command }) => command.recordType === type);
  for (const { path, records } of found.reverse()) {
    const index = records.findLastIndex((record) => (record as PushedRecord).id === id);
    if (index !== -1) return `${path}[${index}]`;
  }
  return 'data';
}

/** The records of one command, and their path in the request. */
interface Batch {
  readonly command: Command;
  readonly path: string;
  readonly records: unknown[];
  readonly word: ErpWord | undefined;
}

const DELETION_VALIDATOR = recordValidator(deletionSchema);
const NORMALIZERS = new Map(COMMANDS.map((command) => [command, recordNormalizer(command.schema)]));
const VALIDATORS = new Map<Command, RecordValidator>(
  COMMANDS.map((command) => [command, recordValidator(command.schema)]),
);

/**
 * Validates a whole push body (docs/contract.md E4). It replaces the body's records by their normal form
 * (normalize-record.ts).
 * @returns the records, or all messages by path
 */
export function validatePush(
  body: unknown,
  found = new MessageCollector(),
): { ok: true; push: Push } | { ok: false; messages: ValidationMessages } {
  const batches = batchesOf(body, found);
  const total = batches.reduce((sum, batch) => sum + batch.records.length, 0);
  if (total > MAX_RECORDS) found.add('data', `must hold at most ${MAX_RECORDS} records in all`);
  else batches.forEach((batch) => validateRecords(batch, found));
  return found.empty ? { ok: true, push: pushOf(batches) } : { ok: false, messages: found.messages() };
}

function batchesOf(body: unknown, found: MessageCollector): Batch[] {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (data === undefined) found.add('data', 'is required');
  else if (!Array.isArray(data)) found.add('data', 'must be a list of commands');
  else if (data.length === 0) found.add('data', 'must hold at least one command');
  else if (data.length > MAX_COMMANDS) found.add('data', `must hold at most ${MAX_COMMANDS} commands`);
  else return data.flatMap((entry, index) => batchOf(entry, `data[${index}]`, found) ?? []);
  return [];
}

function batchOf(entry: unknown, place: string, found: MessageCollector): Batch | undefined {
  const [name, ...others] = isJsonObject(entry) ? Object.keys(entry) : [];
  const command = name === undefined || others.length > 0 ? undefined : commandNamed(name);
  if (!command) {
    found.add(
      place,
      `must be an object with exactly one key: ${COMMANDS.map((known) => known.name).join(', ')}`,
    );
    return undefined;
  }
  const path = pathIn(place, command);
  const payload = (entry as Record<string, unknown>)[command.name];
  const { [command.recordType]: records, [WORD]: word } = isJsonObject(payload) ? payload : {};
  const isSaid = word !== undefined && word !== null && word !== '';
  if (isSaid) checkWord(word, command, `${place}.${command.name}.${WORD}`, found);
  if (Array.isArray(records)) return { command, path, records, word: isSaid ? (word as ErpWord) : undefined };
  found.add(path, records === undefined ? 'is required' : 'must be a list');
  return undefined;
}

function checkWord(word: unknown, { recordType }: Command, path: string, found: MessageCollector): void {
  const wrong = isEntityType(recordType)
    ? wrongWord(word)
    : 'is said of what customers get, and elevators are not fed';
  if (wrong) found.add(path, wrong);
}

/** The path of a command's records: `data[0].update-tickets.tickets`. */
export const pathIn = (place: string, { name, recordType }: Command) => `${place}.${name}.${recordType}`;

function validateRecords({ command, path, records }: Batch, found: MessageCollector): void {
  const [normalize, validate] = [NORMALIZERS.get(command)!, VALIDATORS.get(command)!];
  for (let i = 0; i < records.length && !found.full; i++) {
    records[i] = normalize(records[i]);
    (isBareDeletion(records[i]) ? DELETION_VALIDATOR : validate)(records[i], `${path}[${i}]`, found);
    refuseGivenNames(records[i], `${path}[${i}]`, found);
  }
}

/**
 * Of two records with the same id in one request the last one counts, at its own place. The outcome is the same as of
 * two requests (docs/contract.md E6).
 */
function pushOf(batches: readonly Batch[]): Push {
  const byType = new Map<RecordType, Map<string, PushedRecord>>();
  for (const { command, records } of batches) {
    const type = command.recordType;
    const byId = byType.get(type) ?? new Map<string, PushedRecord>();
    byType.set(type, byId);
    for (const record of records as readonly PushedRecord[]) {
      const before = byId.get(record.id);
      byId.delete(record.id);
      byId.set(record.id, before ? merged(type, before, record) : record);
    }
  }
  const of = (type: RecordType) => [...(byType.get(type)?.values() ?? [])];
  const [accounts, contracts, tickets] = [of('accounts'), of('contracts'), of('tickets')];
  return {
    records: { accounts, contracts, tickets, settlements: of('settlements') },
    elevators: of('elevators'),
    words: Object.fromEntries(
      batches.flatMap(({ command, word }) => (word ? [[command.recordType, word]] : [])),
    ),
  };
}

/**
 * A later record of the same id, with the fields that it does not send and therefore keeps, as `asStored` keeps them of a
 * stored record. A bare deletion is written into the earlier record: copies of a long record for each of many deletions would
 * hold up the process.
 */
function merged(type: RecordType, before: PushedRecord, after: PushedRecord): PushedRecord {
  const deletion = isUndatedDeletion(after) && deletionAfter(before);
  if (isBareDeletion(after)) return Object.assign(before, after, deletion);
  const { phones, created_at } = before;
  return {
    ...after,
    ...(type === 'accounts' && phones !== undefined && after['phones'] === undefined && { phones }),
    ...(type !== 'elevators' &&
      typeof created_at === 'string' &&
      after['created_at'] == null && { created_at }),
    ...deletion,
  };
}
