import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CliError, EXIT } from '../cli-error';
import { explainError } from '../explain-error';
import { WORD } from '../../domain/records/erp-word';
import { formatInstant } from '../../domain/time/instants';
import { refusalIn } from '../service/service-refusal';
import { formatCell, note, printOutput, stampNotes } from '../print';
import { FOLDER, writeWhole } from './checkpoint';
import { commandOf } from './plan';
import { type PushedFile, pushFile } from './push-file';
import type { PushOrders } from './push-orders';
import { watchFolder } from './watch-folder';

/** Pushes all files. A file that cannot be pushed does not hold up the others. */
export async function pushAll(
  files: string[],
  orders: PushOrders,
): Promise<{ pushed: PushedFile[]; failed: Error[] }> {
  const pushed: PushedFile[] = [];
  const failed: Error[] = [];
  for (const file of files) {
    try {
      pushed.push(await pushFile(file, orders));
    } catch (error) {
      orders.progress.end();
      if (error instanceof CliError && error.exitCode === EXIT.unavailable) {
        failed.unshift(error); // the error that stops everything decides the exit code
        break;
      }
      failed.push(error as Error);
      if (files.length > 1) note(`gdx: ${(await explainError(error)).line}`);
    }
  }
  return { pushed, failed };
}

/** Says that everything of the mapping's type up to this day was pushed, once all files of it are. @throws CliError where it is refused */
export async function sayComplete(day: string, { client, mapping, dryRun }: PushOrders): Promise<void> {
  const { name, recordType } = commandOf(mapping.type);
  const body = { data: [{ [name]: { [recordType]: [], [WORD]: day } }] };
  const answer = await client.push(Buffer.from(JSON.stringify(body)), randomUUID(), dryRun);
  if (answer.status !== (dryRun ? 200 : 204)) {
    const { message, validation_messages = {} } = refusalIn(answer.body);
    const [said = message ?? 'no message'] = Object.values(validation_messages).flat();
    throw new CliError(
      `the service refused to hear that ${recordType} are complete through ${day}, with ${answer.status} (${said})`,
      'the files are pushed; run the same again with another day',
    );
  }
  note(`${recordType}: ${dryRun ? 'would say' : 'said'} that they are complete through ${day}`);
}

export const notePassedOver = (file: string, why: string) => note(`${file} is passed over: it is ${why}`);

/**
 * Pushes each file that arrives in a folder. Every printed line has its time, and the refused files are listed in a
 * file there. It never ends.
 */
export async function pushWatched(
  folder: string,
  everyMs: number,
  orders: PushOrders,
  json: boolean,
): Promise<void> {
  stampNotes();
  const refused = new Map<string, string>();
  const again = new Set<string>();
  const waiting = new Map<string, string>();
  await listRefused(folder, refused);
  note(`Watching ${folder}. Ctrl-C ends it at any time: what is left is pushed when it is started again.`);
  for await (const file of watchFolder(folder, everyMs, notePassedOver, again)) {
    const { pushed, failed } = await pushAll([file], orders);
    const [error] = failed;
    const line = error && `gdx: ${(await explainError(error)).line}`;
    const isPassing =
      error instanceof CliError && (error.cause as NodeJS.ErrnoException | undefined)?.syscall;
    if (isPassing) again.add(file);
    else if (line) refused.set(file, `${formatInstant(new Date())} ${line}`);
    else refused.delete(file);
    await listRefused(folder, refused);
    if (line && line !== waiting.get(file)) note(line);
    if (isPassing) waiting.set(file, line!);
    else waiting.delete(file);
    for (const one of pushed) {
      if (json) printOutput({ json: one }, json);
      else note(sayPushed(one));
    }
  }
}

/** Writes the list of refused files, for the people who look after the folder. */
async function listRefused(folder: string, refused: Map<string, string>): Promise<void> {
  if (!existsSync(folder)) return; // it is away, and is not made anew here
  for (const file of refused.keys()) if (!existsSync(file)) refused.delete(file);
  const lines = [...refused.values()].map((line) => `${line}\n`);
  await writeWhole(path.join(folder, FOLDER, 'refused.txt'), lines.join('')).catch((error: Error) =>
    note(error.message),
  );
}

function sayPushed({ file, state, deleted_ids: _, ...counts }: PushedFile): string {
  const said = Object.entries(counts).map(
    ([name, count]) => `${formatCell(count)} ${name.replace('_', ' ')}`,
  );
  return `${file}: ${state}; ${said.join(', ')}`;
}
