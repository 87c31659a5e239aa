import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { stat } from 'node:fs/promises';
import { CliError, unreadable } from '../cli-error';
import { formatCount, note } from '../print';
import type { ServiceAnswer } from '../service/service-client';
import { refusalIn } from '../service/service-refusal';
import { FileProblem, sayLocation } from '../file-problem';
import { type Batch, requestBatches } from './batches';
import { type Checked, checkFile, columnsByField, hashOf } from './check-file';
import {
  beginCheckpoint,
  begunSince,
  type Checkpoint,
  checkpointOf,
  fingerprint,
  newCheckpoint,
  readCheckpoint,
  rowsFoldersOf,
  writeCheckpoint,
} from './checkpoint';
import { type Gathering, gatheringIn } from './gather';
import { Origins } from './origins';
import type { PushOrders } from './push-orders';
import { Reading } from './reading';
import { readRecords } from './read-records';
import { takeTurn } from './take-turn';
import { deleteRecords, recordsToDelete, sayFirst } from './whole-file';

const SHOWN_WARNINGS = 10;

/**
 * The outcome of a file. Null: unknown, as for a dry run. Pushes whose receipt is gone or cannot be read add nothing
 * to the numbers.
 */
export interface PushedFile {
  file: string;
  state: 'pushed' | 'pushed before' | 'checked';
  records: number;
  changed: number | null;
  unchanged: number | null;
  warnings: number;
  /** For a whole file: the number of records that the service held and the file lacks. */
  deleted: number;
  /** Their ids: of this run, not of one that it continues. */
  deleted_ids: readonly string[];
  /** The number of rows that are records or parts of one, and of all others. */
  rows: number;
  left_out: number;
}

/** A file in progress: its state at the beginning, and what is known about it. */
interface Pushing {
  file: string;
  stamp: string;
  orders: PushOrders;
  gathering: Gathering | undefined;
}

/**
 * Pushes a file. It checks the whole file, then sends it batch by batch and notes each stored one. After a crash the
 * same call resumes (docs/contract.md E15).
 * @throws CliError when the file cannot be pushed: then nothing of it was sent, or it can be resumed
 */
export async function pushFile(file: string, orders: PushOrders): Promise<PushedFile> {
  const { type } = orders.mapping;
  const waits = () => note(`${file}: waits until another push of ${type} from this machine has ended`);
  const endTurn = orders.dryRun ? undefined : await takeTurn(`${type} ${orders.target}`, waits);
  return pushInTurn(file, orders).finally(endTurn);
}

async function pushInTurn(file: string, orders: PushOrders): Promise<PushedFile> {
  const { mapping, batchSize, dryRun, again, isAlone, target } = orders;
  const { size, stamp, modifiedMs } = await stampOf(file);
  const of = await fingerprint(file, mapping, batchSize, target);
  const known = dryRun ? undefined : await readCheckpoint(file, of);
  const since = known && (await begunSince(file, known, mapping.type, target));
  const isBegun = known !== undefined && !known.finished_at && !since;
  if (known?.finished_at && !again && !(isAlone && since))
    return { ...resultOf(file, known), state: 'pushed before' };
  if (known && !known.finished_at && since && !again)
    throw new CliError(
      `${file} was stopped after ${known.records} of ${known.total} records, and ${since} was begun since: what is left of it would replace what ${since} has sent`,
      'push the newest, or say --again if this one is right: it is pushed from its beginning',
    );
  if (since && !again)
    note(
      `${file}: it was pushed before, and ${since} after it: it is pushed again, and what ${since} changed is as it was`,
    );
  const gathering = mapping.gather ? gatheringIn(rowsFoldersOf(file), size) : undefined;
  try {
    const pushing = { file, stamp, orders, gathering };
    const { checked, seen } = await check(pushing);
    const whole = { file, modifiedMs, ...checked };
    const missing = mapping.whole ? await recordsToDelete(whole, orders) : undefined;
    const at = isBegun ? known : newCheckpoint(of, checked.records);
    if (isBegun)
      note(`${file}: continues after ${formatCount(at.records)} of ${formatCount(at.total)} records`);
    else if (!dryRun) await beginCheckpoint(file, at, mapping.type, target);
    await send(pushing, checked, at);
    if (missing) at.deleted += dryRun ? missing.length : await deleteRecords(missing, whole, orders);
    if (missing?.length)
      note(`${file}: ${dryRun ? 'would delete' : 'deleted'}, as it is not in the file: ${sayFirst(missing)}`);
    if (!dryRun) {
      await seen.origins?.keep();
      await writeCheckpoint(file, { ...at, finished_at: new Date().toISOString() });
    }
    const result = { ...resultOf(file, at, missing), rows: seen.rows, left_out: seen.leftOut };
    return dryRun ? { ...result, state: 'checked', changed: null, unchanged: null } : result;
  } finally {
    gathering?.remove();
  }
}

function resultOf(file: string, at: Checkpoint, deletedIds: readonly string[] = []): PushedFile {
  const { records, changed, unchanged, warnings, deleted } = at;
  const counts = { records, changed, unchanged, warnings, deleted };
  return { file, state: 'pushed', ...counts, deleted_ids: deletedIds, rows: records, left_out: 0 };
}

const recordsOf = ({ file, orders, gathering }: Pushing, seen: Reading) =>
  readRecords(file, orders.mapping, seen, gathering);

/** Checks the whole file. @throws CliError naming every cause found */
async function check(pushing: Pushing): Promise<{ checked: Checked; seen: Reading }> {
  const { file, orders } = pushing;
  const { mapping, batchSize, progress, target } = orders;
  const seen = new Reading();
  seen.origins = await Origins.read(file, mapping, target);
  const checked = await checkFile(recordsOf(pushing, seen), mapping, batchSize, seen, (count) =>
    progress.checking(file, count),
  );
  progress.end();
  if (checked.problems.length > 0) throw refusedFor(file, checked.problems);
  for (const remark of seen.notes()) note(`${file}: ${remark}`);
  if (checked.records === 0) note(`${file}: there is no record in it`);
  return { checked, seen };
}

/** The error for a file that is refused. A single cause is in its message; several are printed before it, one a line. */
function refusedFor(file: string, problems: readonly FileProblem[]): CliError {
  const only = problems.length === 1 ? problems[0] : undefined;
  if (!only) for (const { message } of problems) note(`${file} ${message}`);
  return new CliError(
    `${file} was not pushed: ${only?.message ?? `${problems.length} causes, said above`}`,
    `${only?.advice ?? 'correct the file or the mapping, then run the same again'}; nothing of it was sent`,
  );
}

/** Sends the batches from `at` on, and advances `at` with each stored one. */
async function send(pushing: Pushing, { hashes }: Checked, at: Checkpoint): Promise<void> {
  const { file, stamp, orders } = pushing;
  const { mapping, batchSize, progress, dryRun } = orders;
  const changed = new CliError(
    `${file} changed while it was pushed`,
    'run the same again when the file is complete',
  );
  try {
    for await (const batch of requestBatches(recordsOf(pushing, new Reading()), mapping, batchSize)) {
      if (batch.number < at.batches) continue;
      // If the file has changed since the check, the same request ids would get other content.
      if ((await stampOf(file)).stamp !== stamp || hashOf(batch.body) !== hashes[batch.number]) throw changed;
      const told = await sendBatch(file, batch, at, orders);
      at.batches += 1;
      at.records += batch.lines.length;
      at.changed += told.changed;
      at.unchanged += told.unchanged;
      at.warnings += told.warning_count;
      if (!dryRun) await writeCheckpoint(file, at);
      progress.pushing(file, at.records, at.total);
    }
  } catch (error) {
    throw error instanceof FileProblem ? changed : error;
  }
  if (at.batches !== hashes.length) throw changed;
  progress.end();
}

const amount = Type.Optional(Type.Integer({ minimum: 0 }));
/** The content of a receipt. A dry run has only the warnings. */
const RECEIPT = Type.Object({
  changed: amount,
  unchanged: amount,
  warning_count: amount,
  warnings: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
});
type Told = Required<Static<typeof RECEIPT>>;
const isReceipt = new Ajv2020().compile<Static<typeof RECEIPT>>(RECEIPT);

const NOTHING_TOLD: Told = { changed: 0, unchanged: 0, warning_count: 0, warnings: {} };

async function sendBatch(
  file: string,
  batch: Batch,
  at: Checkpoint,
  { client, dryRun, mapping }: PushOrders,
): Promise<Told> {
  const requestId = `${at.run}-${batch.number}`;
  const answer = await client.push(batch.body, requestId, dryRun);
  if (answer.status !== (dryRun ? 200 : 204)) throw refused(file, batch, answer, requestId);
  const { status, body } = dryRun ? answer : await client.receipt(requestId);
  const receipt = status === 200 && isReceipt(body) ? body : undefined;
  if (!receipt && status !== 404)
    note(`${file}: ${linesOf(batch)} are stored, but the service does not say what they changed (${status})`);
  const told = { ...NOTHING_TOLD, ...receipt };
  const columns = columnsByField(mapping);
  const left = SHOWN_WARNINGS - at.warnings;
  for (const [path, messages] of Object.entries(told.warnings).slice(0, Math.max(0, left))) {
    const { line, field } = fieldAt(batch, path);
    const name = columns.get(field.replace(/\[\d+\]/g, ''))?.[0];
    note(`${file} ${sayLocation({ line, name })}: ${field} ${messages.join(', ')} (a warning)`);
  }
  return told;
}

/** Finds the line of a path: `data[0].update-tickets.tickets[3].net_weight` is a field of the batch's fourth record. */
function fieldAt({ lines }: Batch, path: string): { line: number; field: string } {
  const [, index, field] = /^data\[0\]\.[\w-]+\.\w+\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  return { line: lines[Number(index ?? 0)] ?? lines[0]!, field: field ?? path };
}

const linesOf = ({ lines }: Batch) => `lines ${lines[0]} to ${lines.at(-1)}`;

function refused(file: string, batch: Batch, { status, body }: ServiceAnswer, requestId: string): CliError {
  const { code, message, validation_messages = {} } = refusalIn(body);
  for (const [path, messages] of Object.entries(validation_messages)) {
    const { line, field } = fieldAt(batch, path);
    note(`${file} ${sayLocation({ line })}: ${field} ${messages.join(', ')}`);
  }
  return new CliError(
    `${file}: the service refused ${linesOf(batch)} with ${[status, code].filter(Boolean).join(' ')} (${message ?? 'no message'}), request id ${requestId}`,
    adviceFor(file, status, code),
  );
}

function adviceFor(file: string, status: number, code: string | undefined): string {
  if (status === 401)
    return 'check the token: it may have ended, or be for tests in production; then run the same again';
  if (status === 404 || status < 400) return 'check --url: it is the address of the service, without a path';
  if (code === 'REQUEST_ID_REUSED')
    return `another gdx has begun this file, or its checkpoint was edited: remove ${checkpointOf(file)}, and it is pushed from its beginning`;
  if (status === 413)
    return 'run it again with a smaller --batch, such as --batch 100: it is pushed from its beginning, and what is stored stays as it is';
  return 'correct what is named, then run the same again; what was sent before is stored';
}

async function stampOf(file: string): Promise<{ size: number; stamp: string; modifiedMs: number }> {
  const { size, mtimeMs } = await stat(file).catch(unreadable(file));
  return { size, stamp: `${size}/${mtimeMs}`, modifiedMs: mtimeMs };
}
