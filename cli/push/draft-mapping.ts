import { Readable } from 'node:stream';
import { trimmed } from '../../domain/pasted-text';
import type { RecordType } from '../../domain/commands';
import { FileProblem } from '../text-file/file-problem';
import { commandOf, type Mapping } from './mapping';
import { readBytes } from './read-records';
import { readRows } from './read-rows';

const DELIMITERS = [',', ';', '\t', '|'];
const MOST_HEADER = 100_000;

/** A mapping to continue with: every column of a CSV file, with its field where the name says it, and null elsewhere. */
export async function draftMapping(file: string, type: RecordType): Promise<Mapping> {
  const { delimiter, header } = await readHeader(file);
  const fields = new Map(
    Object.keys(commandOf(type).schema.properties).map((field) => [plain(field), field]),
  );
  const used = new Set<string>();
  const columns = Object.fromEntries(
    header.map((name) => {
      const field = fields.get(plain(name));
      if (field === undefined || used.has(field)) return [trimmed(name), null];
      used.add(field);
      return [trimmed(name), field];
    }),
  );
  return { type, ...(delimiter !== ',' && { delimiter }), columns };
}

/** The first line, split by the delimiter that it has most of. */
async function readHeader(file: string): Promise<{ delimiter: string; header: string[] }> {
  const first = await readFirstLine(file);
  const countOf = (mark: string) => first.split(mark).length;
  const delimiter = DELIMITERS.reduce((best, mark) => (countOf(mark) > countOf(best) ? mark : best));
  for await (const { cells } of readRows(Readable.from([Buffer.from(first)]), delimiter)) {
    return { delimiter, header: cells };
  }
  throw new FileProblem({ line: 1 }, 'the file has no header');
}

async function readFirstLine(file: string): Promise<string> {
  let text = '';
  for await (const chunk of readBytes(file)) {
    text += String(chunk);
    if (/[\r\n]/.test(text) || text.length > MOST_HEADER) break;
  }
  return text.split(/\r\n|\n|\r/)[0]!;
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
