import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { msSince } from '../../domain/time/elapsed';
import { HOUR_MS } from '../../domain/time/spans';
import { addTo } from '../../domain/records/add-to';
import { fileRefused } from '../cli-error';
import { formatCount } from '../print';
import type { Findings } from './findings';
import { hashesOf } from './id-set';
import type { Fragment } from './map-record';
import { recordText } from './request-body';

const BYTES_OF_A_PART = 128 * 1024;
const MOST_PARTS = 512;
const WRITTEN_AT_ONCE = 16 * 1024;
// A push that is older than its receipts is not continued. Whoever still writes there stops with an error.
const LEFT_AFTER_MS = 72 * HOUR_MS;

interface Part {
  file: string;
  text: string[];
  length: number;
}

/**
 * Collects the rows of each id, which may lie anywhere in a file. The rows are written to files beside the checkpoint,
 * divided by id, so that only one part of all records is in memory.
 */
export class Gathering {
  private readonly parts: Part[];
  private readonly folder: string;
  /** True once all rows are added. */
  isFull = false;

  /**
   * @param folders how the names of its folders begin: each run has its own, as a dry run beside a push does
   * @param bytes the size of the pushed file
   */
  constructor(folders: string, bytes: number) {
    mkdirSync(path.dirname(folders), { recursive: true });
    removeLeft(folders);
    this.folder = mkdtempSync(`${folders}-`);
    const count = Math.min(MOST_PARTS, Math.ceil((bytes + 1) / BYTES_OF_A_PART));
    this.parts = Array.from({ length: count }, (_, index) => {
      const file = path.join(this.folder, String(index));
      writeFileSync(file, '', { mode: 0o600 });
      return { file, text: [], length: 0 };
    });
  }

  add(fragment: Fragment & { id: string }): void {
    const part = this.parts[hashesOf(fragment.id)[0] % this.parts.length]!;
    const text = recordText(fragment);
    part.text.push(text);
    part.length += text.length;
    if (part.length > WRITTEN_AT_ONCE) this.write(part);
  }

  private write(part: Part): void {
    appendFileSync(part.file, `${part.text.join('\n')}\n`);
    [part.text, part.length] = [[], 0];
  }

  /**
   * The rows of each id, in the order of the file. Called once all rows are added. The ids come part by part, within a
   * part in the order of their first rows.
   */
  *gathered(): Generator<Fragment[]> {
    for (const part of this.parts) {
      if (part.text.length > 0) this.write(part);
      const byId = new Map<string, Fragment[]>();
      for (const line of readFileSync(part.file, 'utf8').split('\n')) {
        if (line === '') continue;
        const fragment = JSON.parse(line) as Fragment & { id: string };
        addTo(byId, fragment.id, fragment);
      }
      yield* byId.values();
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Removes what runs that were killed have left. */
function removeLeft(folders: string): void {
  const parent = path.dirname(folders);
  for (const name of readdirSync(parent)) {
    const one = path.join(parent, name);
    if (one !== folders && !one.startsWith(`${folders}-`)) continue;
    const found = statSync(one, { throwIfNoEntry: false });
    if (found && msSince(found.mtime) > LEFT_AFTER_MS) rmSync(one, { recursive: true, force: true });
  }
}

export const gatheringIn = (folders: string, bytes: number): Gathering => {
  try {
    return new Gathering(folders, bytes);
  } catch (error) {
    return fileRefused(
      `rows cannot be gathered in ${path.dirname(folders)}`,
      'let gdx write there, or push a copy that is in another folder',
    )(error);
  }
};

/** Joins the rows of one id. The record's own fields must be equal or blank in all of them. */
export function joinFragments(rows: readonly Fragment[], findings: Findings): Fragment {
  const [first] = rows as [Fragment, ...Fragment[]];
  if (rows.length === 1 && first.own && !first.any) return first;
  const own: Record<string, unknown> = {};
  const from: Record<string, number> = {};
  const lists: Fragment['lists'] = {};
  const once: Record<string, Map<string, string>> = {};
  const any = new Map<
    string,
    { source: number; value: unknown; line: number; other?: [unknown, Fragment] }
  >();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row.own ?? {})) {
      if (isBlank(own[name])) [own[name], from[name]] = [value, row.line];
      else if (!isBlank(value) && recordText(value) !== recordText(own[name]))
        disagree(name, { first: own[name], at: from[name]! }, value, row, findings);
    }
    for (const [name, items] of Object.entries(row.lists)) {
      const numbers = row.once?.[name];
      const known = numbers && (once[name] ??= new Map<string, string>());
      (lists[name] ??= []).push(
        ...items.filter((item, index) => isNew(name, item, numbers?.[index], known, row, findings)),
      );
    }
    for (const [name, [source, value]] of Object.entries(row.any ?? {})) {
      const known = any.get(name);
      if (!known || source < known.source) any.set(name, { source, value, line: row.line });
      else if (source === known.source && recordText(value) !== recordText(known.value))
        known.other ??= [value, row];
    }
  }
  for (const [name, { value, line, other }] of any) {
    own[name] = value;
    if (other) disagree(name, { first: value, at: line }, ...other, findings);
  }
  if (!rows.some((row) => row.own)) {
    const problem = 'no row of the id gives the fields of its own ("gather": { "own": ... })';
    const advice = 'correct the file or the condition';
    findings.add('no own row', { problem, advice }, { line: first.line }, first.id);
  }
  for (const [name, items] of Object.entries(lists)) checkItems(name, items, once[name], first, findings);
  const keepsPhones = rows.some((row) => row.keepsPhones);
  return { line: first.line, id: first.id, own, lists, ...(keepsPhones && { keepsPhones }) };
}

/** Whether no row before has had the item of this number. */
function isNew(
  name: string,
  item: object,
  number: string | undefined,
  known: Map<string, string> | undefined,
  { line, id }: Fragment,
  findings: Findings,
): boolean {
  if (number === undefined || !known) return true;
  const text = recordText(item);
  const before = known.get(number);
  known.set(number, before ?? text);
  if (before === undefined) return true;
  const problem = `rows of one number do not agree in \`${name}\`: \`${id}\` has two different items of \`${number}\``;
  const advice = 'name by "once_by" the column that numbers the items';
  if (before !== text) findings.add(`once ${name}`, { problem, advice }, { line });
  return false;
}

const MOST_SHARES = 100.5; // shares are rounded

/** Rows that were joined with others repeat an item. Equal ones are remarked, and shares that cannot be are refused. */
function checkItems(
  name: string,
  items: readonly Record<string, unknown>[],
  once: unknown,
  { line, id }: Fragment,
  findings: Findings,
): void {
  if (items.length < 2) return;
  const advice = 'if the file repeats an item, say by "once_by" which column numbers the items';
  const shares =
    name === 'splits' ? items.reduce((sum, item) => sum + Number(item['split_percent'] ?? 0), 0) : 0;
  if (shares > MOST_SHARES) {
    const problem = `the shares of \`${id}\` make ${shares}`;
    findings.add('shares', { problem, advice }, { line }, id);
  } else if (!once && new Set(items.map(recordText)).size < items.length) {
    const problem = `\`${name}\` of a record has equal items`;
    findings.add(`equal ${name}`, { problem, advice, isPassed: true }, { line }, id);
  }
}

const isBlank = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);

function disagree(
  name: string,
  before: { first: unknown; at: number },
  value: unknown,
  { line, id }: Fragment,
  findings: Findings,
): void {
  const problem = `rows of one id do not agree in \`${name}\`: \`${id}\` has ${recordText(before.first)} in line ${formatCount(before.at)} and ${recordText(value)} in line ${formatCount(line)}`;
  const advice =
    'correct the file, or ask by a condition for one of the rows; where each row has its own, map it as an item of a list by "rows"';
  findings.add(`disagree ${name}`, { problem, advice }, { line });
}
