import { stat } from 'node:fs/promises';
import { CliError, unreadable } from '../cli-error';
import { note } from '../print';
import type { ServiceAnswer } from '../service/service-client';
import { sayLocation } from '../text-file/file-problem';
import { type Batch, requestBatches } from './batches';
import { checkFile, placeOf } from './check-file';
import {
  type Checkpoint,
  checkpointOf,
  fingerprint,
  newCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint';
import type { Mapping } from './mapping';
import type { PushProgress } from './progress';
import type { PushClient } from './push-client';
import { type Reading, readRecords } from './read-records';

const SHOWN_WARNINGS = 10;

export interface PushOrders {
  client: PushClient;
  mapping: Mapping;
  batchSize: number;
  dryRun: boolean;
  /** Also a file that was pushed before. */
  again: boolean;
  /** What the records go to: the address, and a hash of the token. */
  target: string;
  progress: PushProgress;
}

/** The outcome of a file. Of a dry run, and of pushes whose receipt is gone, nobody knows what changed. */
export interface PushedFile {
  file: string;
  state: 'pushed' | 'pushed before' | 'checked';
  records: number;
  changed: number | null;
  unchanged: number | null;
  warnings: number;
}

/**
 * Pushes a file: checks it whole, then sends it batch by batch, noting each that is stored. After a crash the same call
 * continues from there (docs/contract.md E15).
 * @throws CliError when the file cannot be pushed: then nothing of it was sent, or it can be resumed
 */
export async function pushFile(file: string, orders: PushOrders): Promise<PushedFile> {
  const { mapping, batchSize, dryRun, again, target } = orders;
  const before = await stamp(file);
  const of = await fingerprint(file, mapping, batchSize, target);
  const known = dryRun ? undefined : await readCheckpoint(file, of);
  if (known?.finished_at && !again) return { ...resultOf(file, known), state: 'pushed before' };
  const isBegun = known !== undefined && !known.finished_at;
  const at = isBegun ? known : newCheckpoint(of, await check(file, orders));
  if (isBegun)
    note(
      `${file}: goes on after ${at.records.toLocaleString('en-US')} of ${at.total.toLocaleString('en-US')} records`,
    );
  else if (!dryRun) await writeCheckpoint(file, at);
  await send(file, before, at, orders);
  if (!dryRun) await writeCheckpoint(file, { ...at, finished_at: new Date().toISOString() });
  const result = resultOf(file, at);
  return dryRun ? { ...result, state: 'checked', changed: null, unchanged: null } : result;
}

const resultOf = (file: string, { records, changed, unchanged, warnings }: Checkpoint): PushedFile => ({
  file,
  state: 'pushed',
  records,
  changed,
  unchanged,
  warnings,
});

/** @returns how many records it has. @throws CliError naming every problem found */
async function check(file: string, { mapping, progress }: PushOrders): Promise<number> {
  const { records, problems, unmapped } = await checkFile(file, mapping, (count) =>
    progress.checking(file, count),
  );
  progress.end();
  for (const { message } of problems) note(`${file} ${message}`);
  if (problems.length > 0)
    throw new CliError(
      `${file} was not pushed: ${problems[0]!.message}`,
      'correct the file or the mapping, then run the same again; nothing of it was sent',
    );
  if (unmapped.length > 0) note(`${file}: not in the mapping, and left out: ${unmapped.join(', ')}`);
  return records;
}

/** Moves `at` on with every batch that is stored. */
async function send(file: string, before: string, at: Checkpoint, orders: PushOrders): Promise<void> {
  const { mapping, batchSize, progress, dryRun } = orders;
  const seen: Reading = { unmapped: [], places: new Map() };
  for await (const batch of requestBatches(readRecords(file, mapping, seen), mapping, batchSize)) {
    if (batch.number < at.batches) continue;
    // What has changed since it was checked would be another content under the same request ids.
    if ((await stamp(file)) !== before)
      throw new CliError(
        `${file} changed while it was pushed`,
        'run the same again when the file is complete',
      );
    const told = await sendBatch(file, batch, at, { ...orders, seen });
    at.batches += 1;
    at.records += batch.lines.length;
    at.changed += told.changed;
    at.unchanged += told.unchanged;
    at.warnings += told.warning_count;
    if (!dryRun) await writeCheckpoint(file, at);
    progress.pushing(file, at.records, at.total);
  }
  progress.end();
}

/** What a receipt tells; of a dry run only the warnings. */
interface Told {
  changed: number;
  unchanged: number;
  warning_count: number;
  warnings: Record<string, string[]>;
}

const NOTHING_TOLD: Told = { changed: 0, unchanged: 0, warning_count: 0, warnings: {} };

async function sendBatch(
  file: string,
  batch: Batch,
  at: Checkpoint,
  { client, dryRun, mapping, seen }: PushOrders & { seen: Reading },
): Promise<Told> {
  const requestId = `${at.run}-${batch.number}`;
  const answer = await client.push(batch.body, requestId, dryRun);
  if (answer.status !== (dryRun ? 200 : 204)) throw refused(file, batch, answer, requestId);
  const receipt = dryRun ? answer : await client.receipt(requestId);
  const told = { ...NOTHING_TOLD, ...(receipt.status === 200 ? (receipt.body as Partial<Told>) : {}) };
  const left = SHOWN_WARNINGS - at.warnings;
  for (const [path, messages] of Object.entries(told.warnings).slice(0, Math.max(0, left))) {
    const { line, field } = fieldAt(batch, path);
    note(
      `${file} ${sayLocation(placeOf(line, field, mapping, seen))}: ${field} ${messages.join(', ')} (a warning)`,
    );
  }
  return told;
}

/** `data[0].update-tickets.tickets[3].net_weight` is a field of the batch's fourth record. */
function fieldAt({ lines }: Batch, path: string): { line: number; field: string } {
  const [, index, field] = /^data\[0\]\.[\w-]+\.\w+\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  return { line: lines[Number(index ?? 0)] ?? lines[0]!, field: field ?? path };
}

function refused(file: string, batch: Batch, { status, body }: ServiceAnswer, requestId: string): CliError {
  const { code, message, validation_messages } = (body ?? {}) as Partial<{
    code: string;
    message: string;
    validation_messages: Record<string, string[]>;
  }>;
  for (const [path, messages] of Object.entries(validation_messages ?? {})) {
    const { line, field } = fieldAt(batch, path);
    note(`${file} ${sayLocation({ line })}: ${field} ${messages.join(', ')}`);
  }
  const lines = `lines ${batch.lines[0]} to ${batch.lines.at(-1)}`;
  return new CliError(
    `${file}: the service refused ${lines} with ${status} ${code ?? ''} (${message ?? 'no message'}), request id ${requestId}`,
    adviceFor(file, status, code),
  );
}

function adviceFor(file: string, status: number, code: string | undefined): string {
  if (status === 401)
    return 'check the token: it may have ended, or be for tests in production; then run the same again';
  if (status === 404 || status < 400) return 'check --url: it is the address of the service, without a path';
  if (code === 'REQUEST_ID_REUSED')
    return `another gdx has begun this file, or its checkpoint was edited: remove ${checkpointOf(file)}, and it is pushed from its beginning`;
  return 'correct what is named, then run the same again; what was sent before is stored';
}

async function stamp(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch(unreadable(file));
  return `${size}/${mtimeMs}`;
}
