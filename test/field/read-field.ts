import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseInstant } from '../../domain/time/instants';
import { parsePhone } from '../../domain/text/parse-phone';

/** What has to be said where a file is refused. */
interface Refusal {
  line?: number;
  lines?: number[];
  column?: number;
  columns?: number[];
  names: string[];
}

type Records = Record<string, unknown>[];

/** A file as a grain ERP writes it, and the records that it stands for. */
export interface FieldFile {
  name: string;
  file: string;
  mapping: string;
  type: 'accounts' | 'contracts' | 'tickets' | 'settlements';
  records?: Records;
  refused?: Refusal[];
  /** Stored as in `records`, or refused like this. */
  or_refused?: Refusal[];
  before?: Records;
  without_line_4?: Records;
}

const filesOf = (folder: string, mappings: string): FieldFile[] =>
  readdirSync(path.join(__dirname, folder))
    .filter((name) => !name.endsWith('.expected.json'))
    .sort()
    .map((file) => {
      const name = file.replace(/\.\w+$/, '');
      const expected = JSON.parse(
        readFileSync(path.join(__dirname, folder, `${name}.expected.json`), 'utf8'),
      ) as Omit<FieldFile, 'name' | 'file' | 'mapping'>;
      return {
        name,
        file: path.join(__dirname, folder, file),
        mapping: path.join(__dirname, mappings, `${name}.json`),
        ...expected,
      };
    });

export const LAYOUTS = filesOf('layouts', 'mappings');
export const CASES = filesOf('cases', 'case-mappings');

/** Any instant will do, as it is the one at which the service first heard of it. */
const ANY = '*';

/**
 * A record as it is compared: figures by value to four decimals, instants by the moment, phones by their last ten digits, days and
 * all other text exactly.
 */
export function comparable(record: Record<string, unknown>): unknown {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, compared(name, value)]));
}

const TEXTS = /(^|_)(id|number)$|^(code|name|commodity|crop_year)$/;

function compared(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item as Record<string, unknown>));
  if (name === 'phone') return parsePhone(String(value));
  if (name === 'deleted_at' && value === ANY) return 'deleted';
  if (
    typeof value === 'number' ||
    (typeof value === 'string' && !TEXTS.test(name) && /^-?\d+(\.\d+)?$/.test(value))
  )
    return Number(Number(value).toFixed(4));
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return parseInstant(value);
  return value;
}

/** Of a mapped record: `deleted` stands for an instant that the service gives. */
export function asStored({ deleted, ...record }: Record<string, unknown>): Record<string, unknown> {
  return deleted ? { ...record, deleted_at: ANY } : record;
}

export const byId = (records: Records) =>
  [...records].sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
