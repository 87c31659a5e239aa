import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { readFile } from 'node:fs/promises';
import { COMMANDS, RECORD_TYPES, type RecordType } from '../../domain/commands';
import { parseStrictJson } from '../../domain/strict-json';
import { CliError, EXIT } from '../cli-error';
import { problemAt } from '../text-file/file-problem';
import { textOf } from '../text-file/plain-text';

const field = Type.String({
  pattern: '^(?!__proto__)[^.\\[\\]]{1,100}(\\[\\d{1,2}\\]\\.(?!__proto__)[^.\\[\\]]{1,100})?$',
});
const text = Type.String({ maxLength: 1000 });

/** What a mapping file holds (docs/erp.md). */
const MAPPING = Type.Object(
  {
    type: Type.Union(RECORD_TYPES.map((type) => Type.Literal(type))),
    /** Column -> field. Without it, the objects of a JSON file are records as they are. */
    columns: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([
          field,
          Type.Object({ field, values: Type.Record(Type.String(), text) }, { additionalProperties: false }),
          Type.Null(),
        ]),
      ),
    ),
    /** Field -> a value that every record gets. */
    set: Type.Optional(Type.Record(field, Type.Union([text, Type.Number(), Type.Boolean()]))),
    delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
    /** How the export writes dates: `MM/DD/YYYY HH:mm`. */
    dates: Type.Optional(Type.String({ pattern: '^(?=.*YYYY)(?=.*MM)(?=.*DD).{8,40}$' })),
    time_zone: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export type Mapping = Static<typeof MAPPING>;

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile<Mapping>(MAPPING);

const KEYS = `it has "type" (${RECORD_TYPES.join(', ')}), and may have "columns", "set", "delimiter", "dates", "time_zone": docs/erp.md`;

/** @throws CliError naming what is wrong with the file */
export async function readMapping(file: string): Promise<Mapping> {
  const wrong = (what: string) => new CliError(`mapping ${file}: ${what}`, KEYS, EXIT.usage);
  const read = await readJson(file).catch((error: NodeJS.ErrnoException) => {
    throw wrong(error.code ? `cannot be read (${error.code})` : error.message);
  });
  if (!validate(read)) throw wrong(flawsOf(read));
  if (read.time_zone !== undefined && !isTimeZone(read.time_zone))
    throw wrong(`time_zone: ${read.time_zone} is not a time zone such as America/Chicago`);
  return read;
}

/** Strictly, as the service reads what the mapping makes. @throws FileProblem where it is not text or not JSON */
async function readJson(file: string): Promise<unknown> {
  const text = textOf(await readFile(file));
  try {
    return parseStrictJson(Buffer.from(text));
  } catch (error) {
    throw problemAt(text, (error as Error).message, { line: 1, column: 1 });
  }
}

/** Where it is wrong, each place once: `columns/Net Lbs`. */
function flawsOf(mapping: unknown): string {
  const places = (validate.errors ?? []).map(({ instancePath, keyword, params }) => {
    const name = keyword === 'additionalProperties' ? `/${String(params['additionalProperty'])}` : '';
    const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
    return `${instancePath}${name}${missing}`.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  });
  const named = [...new Set(places)].filter((place) => place !== '').slice(0, 5);
  return named.length > 0
    ? `wrong or missing: ${named.join('; ')}`
    : `must be an object, is ${typeof mapping}`;
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }));
  } catch {
    return false;
  }
}

export const commandOf = (type: RecordType) => COMMANDS.find(({ recordType }) => recordType === type)!;
