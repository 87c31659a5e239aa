import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { CliError, fileRefused } from '../cli-error';
import { parseJson } from '../parse-json';
import { readChunks } from '../text-file/plain-text';

const count = Type.Integer({ minimum: 0 });

/** The progress of a file. Batch 7 has the request id `<run>-7`, so a batch that is sent again is stored once. */
const CHECKPOINT = Type.Object({
  /** Identifies the run. Another file, mapping, batch size, address or token makes another run. */
  of: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  run: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  total: count,
  batches: count,
  records: count,
  changed: count,
  unchanged: count,
  warnings: count,
  deleted: count,
  finished_at: Type.Union([Type.String(), Type.Null()]),
});

export type Checkpoint = Static<typeof CHECKPOINT>;

const isCheckpoint = new Ajv2020().compile<Checkpoint>(CHECKPOINT);

export const FOLDER = '.gdx-push';

/** Tells apart, in names and notes of the folder, where files went: the token is in it. */
export const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

export const checkpointOf = (file: string) =>
  path.join(path.dirname(file), FOLDER, `${path.basename(file)}.json`);

/** How the names of the folders begin that have the rows of a file while they are gathered. */
export const rowsFoldersOf = (file: string) =>
  path.join(path.dirname(file), FOLDER, `${path.basename(file)}.rows`);

// Raised when the same file and mapping begin to make other requests. Then a run of an earlier gdx cannot be resumed.
const REQUESTS_VERSION = 4;

/** Identifies a run by the file's bytes and by everything else that decides its requests. */
export async function fingerprint(file: string, ...rest: unknown[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([REQUESTS_VERSION, ...rest]));
  for await (const chunk of readChunks(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** @returns the progress of a run; undefined when it has not begun */
export async function readCheckpoint(file: string, of: string): Promise<Checkpoint | undefined> {
  const read = await readNote(checkpointOf(file), isCheckpoint);
  return read?.of === of ? read : undefined;
}

/** Reads a note of gdx; undefined when there is none. @throws CliError when the file holds something else */
export async function readNote<T>(at: string, isNote: (read: unknown) => read is T): Promise<T | undefined> {
  const text = await readFile(at, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    return refused(at, 'read')(error);
  });
  if (text === undefined) return undefined;
  const read = parseJson(text);
  if (!isNote(read))
    throw new CliError(`${at} is not a checkpoint`, 'remove it: the file is pushed from its beginning');
  return read;
}

/** The run of a type to one destination that was begun last in this folder. */
const LAST_RUN = Type.Object({ run: CHECKPOINT.properties.run, file: Type.String() });
const isLastRun = new Ajv2020().compile<Static<typeof LAST_RUN>>(LAST_RUN);

const lastRunOf = (file: string, type: string, target: string) =>
  path.join(path.dirname(file), FOLDER, `last-${type}-${shortHash(target)}.json`);

/** The file of the folder that was begun after this run of the same type and destination. */
export async function begunSince(
  file: string,
  { run }: Checkpoint,
  type: string,
  target: string,
): Promise<string | undefined> {
  const last = await readNote(lastRunOf(file, type, target), isLastRun);
  return last && last.run !== run ? last.file : undefined;
}

/** Begins a run, which from then on is the last of its type and destination. */
export async function beginCheckpoint(
  file: string,
  checkpoint: Checkpoint,
  type: string,
  target: string,
): Promise<void> {
  const last: Static<typeof LAST_RUN> = { run: checkpoint.run, file: path.basename(file) };
  await writeWhole(lastRunOf(file, type, target), JSON.stringify(last));
  await writeCheckpoint(file, checkpoint);
}

export function newCheckpoint(of: string, total: number): Checkpoint {
  const none = { batches: 0, records: 0, changed: 0, unchanged: 0, warnings: 0, deleted: 0 };
  return { of, run: randomUUID(), total, ...none, finished_at: null };
}

/** Writes the checkpoint to disk before it returns. A crash leaves this one or the previous one, each complete. */
export async function writeCheckpoint(file: string, checkpoint: Checkpoint): Promise<void> {
  await writeWhole(checkpointOf(file), JSON.stringify(checkpoint));
}

export const writeWhole = (at: string, text: string | Buffer): Promise<void> =>
  writeSynced(at, text).catch(refused(at, 'written'));

async function writeSynced(at: string, text: string | Buffer): Promise<void> {
  await mkdir(path.dirname(at), { recursive: true });
  const begun = `${at}.${randomUUID()}.new`; // a push of another type may write its own of the same file
  const written = await open(begun, 'w', 0o600);
  try {
    await written.writeFile(text).then(() => written.sync());
    await written.close();
    await rename(begun, at);
  } catch (error) {
    await written.close().catch(() => {});
    await rm(begun, { force: true });
    throw error;
  }
}

const refused = (at: string, how: 'read' | 'written') =>
  fileRefused(
    `the checkpoint ${at} cannot be ${how}`,
    `let gdx read and write in ${path.dirname(at)}, or push a copy that is in another folder`,
  );
