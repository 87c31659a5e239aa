import { readFile } from 'node:fs/promises';
import { parseStrictJson } from '../../domain/records/strict-json';
import { UsageError } from '../cli-error';
import { problemAt } from '../file-problem';
import { textOf } from '../text-file/plain-text';
import { WrongMapping } from './condition';
import { flawsOfMapping, type Mapping } from './mapping-schema';
import { planOf } from './plan';

/** Reads and checks a mapping file. @throws CliError naming the member that is wrong */
export async function readMapping(file: string): Promise<Mapping> {
  const wrong = (what: string) =>
    new UsageError(`mapping ${file}: ${what}`, '`/guide/files` of the service has its members');
  const read = await readJson(file).catch((error: NodeJS.ErrnoException) => {
    throw wrong(error.code ? `cannot be read (${error.code})` : error.message);
  });
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw wrong('it is not an object');
  const found = flawsOfMapping(read);
  if (found.length > 0) throw wrong(found.join('; '));
  try {
    planOf(read as Mapping);
    return read as Mapping;
  } catch (error) {
    throw error instanceof WrongMapping ? wrong(error.message) : error;
  }
}

/** Reads JSON as strictly as the service does. @throws FileProblem when it is not text or not JSON */
async function readJson(file: string): Promise<unknown> {
  const read = textOf(await readFile(file));
  try {
    return parseStrictJson(Buffer.from(read));
  } catch (error) {
    throw problemAt(read, (error as Error).message, { line: 1, column: 1 });
  }
}
