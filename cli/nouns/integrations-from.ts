import { open } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { isCompanyId, isTestCompany } from '../../domain/records/company-id';
import { count } from '../../domain/records/count';
import { escaped } from '../../domain/text/escaped';
import { inertCell } from '../../domain/text/inert-cell';
import { nearestName } from '../../domain/text/nearest-name';
import { MUST_BE_ONE_LINE, oneLine } from '../../domain/text/one-line';
import { trimmed } from '../../domain/text/pasted-text';
import type { Integration } from '../../store/callers/integrations';
import { fileRefused, unreadable, UsageError } from '../../client/cli-error';
import { FileProblem } from '../../client/file-problem';
import { note } from '../../client/print';
import { isTimeZone } from '../../client/push/read-dates';
import { readRows, type TableRow } from '../../client/push/read-rows';
import { plainText } from '../../client/text-file/plain-text';

/** What an integration is added with. */
export type Wanted = Pick<Integration, 'name' | 'company' | 'time_zone' | 'vendor'>;

/** Which of the company's ERPs it is, where that is not said. */
export const USUAL_NAME = 'erp';

const REQUIRED = ['company_id', 'company'];
const COLUMNS = [...REQUIRED, 'name', 'time_zone'];

/**
 * Reads the companies of a vendor from a CSV file with a heading: `company_id`, `company`, and where they have them `name` and
 * `time_zone`. Everything is checked before anything is added.
 * @throws UsageError that names the line
 */
export async function readCompanies(file: string, vendor?: string): Promise<Wanted[]> {
  const refused = (what: string) => new UsageError(`${file}, ${what}`, 'correct the file; nothing was added');
  const rows = readRows(plainText(createReadStream(file)), ',');
  let heading: string[] | undefined;
  const lines = new Map<string, number>();
  const found: Wanted[] = [];
  try {
    for await (const { line, cells } of rows) {
      const texts = cells.map((cell) => trimmed(String(cell)));
      if (texts.every((text) => text === '')) continue;
      if (heading) {
        const one = wantedOf({ line, cells }, heading, texts);
        const key = keyOf(one);
        if (lines.has(key))
          throw new FileProblem({ line }, `the same company and name as line ${lines.get(key)}`);
        lines.set(key, line);
        found.push({ ...one, ...(vendor !== undefined && { vendor }) });
      } else heading = headingOf(line, texts);
    }
  } catch (error) {
    throw error instanceof FileProblem ? refused(error.message) : unreadable(file)(error);
  }
  if (found.length === 0) throw refused(`line 1: no company stands below the heading ${COLUMNS.join(',')}`);
  return found;
}

function headingOf(line: number, names: string[]): string[] {
  for (const [at, name] of names.entries()) {
    if (COLUMNS.includes(name) && names.indexOf(name) === at) continue;
    const near = nearestName(name.slice(0, 64), COLUMNS);
    const asked =
      near === undefined || near === name ? `the columns are ${COLUMNS.join(', ')}` : `is it ${near}?`;
    throw new FileProblem(
      { line, column: at + 1 },
      `“${escaped(name)}” is not a column, or comes twice: ${asked}`,
    );
  }
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new FileProblem({ line }, `there is no column ${missing.join(' and ')}`);
  return names;
}

function wantedOf({ line }: TableRow, heading: string[], texts: string[]): Wanted {
  const wrong = (name: string, says: string) =>
    new FileProblem({ line, column: heading.indexOf(name) + 1, name }, says);
  if (texts.length !== heading.length)
    throw new FileProblem({ line }, `${count(texts.length, 'cell')}, and the heading has ${heading.length}`);
  const of = (name: string) => texts[heading.indexOf(name)] ?? '';
  const [id, company, name] = [of('company_id'), of('company'), of('name') || USUAL_NAME];
  const zone = of('time_zone');
  if (!isCompanyId(id)) throw wrong('company_id', 'must be 1 to 64 letters, digits, dots or underscores');
  if (isTestCompany(id)) throw wrong('company_id', 'test. begins the companies of `gdx sandbox`');
  for (const [column, text] of Object.entries({ company, name }))
    if (oneLine(text) === undefined) throw wrong(column, MUST_BE_ONE_LINE);
  if (zone !== '' && !isTimeZone(zone)) throw wrong('time_zone', 'must be a time zone like America/Chicago');
  return {
    company: { id, name: company },
    name,
    ...(zone !== '' && { time_zone: zone }),
  };
}

const keyOf = ({ company, name }: Pick<Wanted, 'company' | 'name'>) => JSON.stringify([company, name]);

/** Those of a file that are not stored yet: the second run adds what is missing. */
export function missingOf(wanted: Wanted[], stored: Integration[]): Wanted[] {
  const known = new Set(stored.map(keyOf));
  return wanted.filter((one) => !known.has(keyOf(one)));
}

/**
 * A new file of tokens, which only its owner may read. A token is in it, on disk, before it opens anything: whatever happens, none is
 * lost.
 * @throws UsageError where the file is there already
 */
export async function tokenFile(file: string) {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new UsageError(`${file} is there already`, 'name a new file, so that no token is written over');
    return fileRefused(`${file} cannot be written`, 'check its folder')(error);
  });
  let kept = 0;
  const write = async (cells: string[]) => {
    await handle.appendFile(`${cells.map(quoted).join(',')}\n`);
    await handle.sync();
  };
  await write(['company_id', 'company', 'name', 'id', 'token']);
  return {
    async keep({ _id, company, name }: Integration, token: string): Promise<void> {
      await write([company.id, company.name, name, _id, token]);
      kept += 1;
    },
    async close(): Promise<void> {
      await handle.close();
      note(`${count(kept, 'token')} in ${file}, which only you may read. They are shown nowhere else.`);
    },
  };
}

const quoted = (cell: string) => `"${inertCell(cell).replaceAll('"', '""')}"`;
