import { FileProblem, type FileLocation } from '../text-file/file-problem';
import { recordMapper } from './map-record';
import { commandOf, type Mapping } from './mapping';
import { readRecords, type Reading } from './read-records';
import { refusalsOf } from './refusals';
import { recordText } from './request-body';

const SHOWN_PROBLEMS = 20;

/** What is wrong with a file, if anything: nothing of it is sent then. */
export interface Checked {
  records: number;
  problems: FileProblem[];
  unmapped: string[];
}

/**
 * Reads a whole file and asks of every record, as it is sent, what the service asks, so that nothing of a file is sent while
 * a later line is wrong. Stops at the first line that cannot be read, and at the twentieth wrong record.
 * @param progress is told how many records were read
 */
export async function checkFile(
  file: string,
  mapping: Mapping,
  progress: (records: number) => void,
): Promise<Checked> {
  const command = commandOf(mapping.type);
  const seen: Reading = { unmapped: [], places: new Map() };
  const problems: FileProblem[] = [];
  let records = 0;
  try {
    for await (const { line, record } of readRecords(file, mapping, seen)) {
      for (const [path, problem] of refusalsOf(command, recordText(record))) {
        problems.push(
          new FileProblem(placeOf(line, path, mapping, seen), `${path.slice(1)} ${problem}`.trim()),
        );
      }
      if (problems.length >= SHOWN_PROBLEMS) break;
      progress(++records);
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problems.push(error);
  }
  return { records, problems, unmapped: seen.unmapped };
}

/** The cell that a field came from. @param path as in a message: `.splits[0].account_id` */
export function placeOf(
  line: number,
  path: string,
  mapping: Mapping,
  { places }: Pick<Reading, 'places'>,
): FileLocation {
  const field = path.replace(/^\./, '');
  const from = recordMapper(mapping).columns.find((column) => column.field === field);
  const known = [...places].find(([column]) => column.field === field);
  return { line, column: known?.[1], name: from?.column };
}
