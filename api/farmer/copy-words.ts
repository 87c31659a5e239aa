import { REFERENCES } from '../../domain/records/canonical-json';
import { COMMANDS } from '../../domain/records/commands';
import type { EntityType } from '../../domain/records/entity-types';
import type { Language } from '../../domain/text/language';
import type { SentBatch } from '../../store/digest/sent-records';
import type { Texts } from './texts/en';

/** What a farmer's copy is made of, in each of its forms. */
export interface Copy<Part = SentBatch> {
  customer: string;
  madeAt: Date;
  /** The time zone of a company that has sent records, if known. */
  zone: string | undefined;
  batches: AsyncIterable<Part>;
  texts: Texts;
  language: Language;
  service: string;
}

/** A record as a page has it, without its wrapper. */
export type SentRecord = Record<string, unknown>;

/** What its customer was sent, without the wrapper. */
export const recordOf = (json: string): SentRecord =>
  Object.values(JSON.parse(json) as object)[0] as SentRecord;

/** A field's or a known value's name in words: `net_weight` is "Net weight". */
export function labelOf(name: string, { copied }: Texts): string {
  const label = Object.hasOwn(copied.words, name) ? copied.words[name]! : name.replaceAll('_', ' ').trim();
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Whether there is anything to say. */
export const isSaid = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** What names another record, a company or a phone where it stands alone. */
const NAMING = ['remote_id', 'name', 'phone'];

/** A value in words: a list as its items, these as their fields, and what only names something as that name. `say` says a single text. */
export function inWords(name: string, value: unknown, texts: Texts, say = (text: string) => text): string {
  const { yes, no, words } = texts.copied;
  if (Array.isArray(value))
    return value
      .filter(isSaid)
      .map((one) => inWords(name, one, texts, say))
      .join('; ');
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'object' && value !== null) {
    const [[key, alone] = ['', undefined], ...others] = Object.entries(value).filter(
      ([name, of]) => name !== 'id' && isSaid(of),
    );
    if (NAMING.includes(key) && others.length === 0) return inWords(key, alone, texts, say);
    return Object.entries(value)
      .filter(([, of]) => isSaid(of))
      .map(([key, of]) => `${labelOf(key, texts)}: ${inWords(key, of, texts, say)}`)
      .join(', ');
  }
  if (typeof value !== 'string') return String(value);
  if (!KNOWN.get(name)?.has(value)) return say(value);
  return Object.hasOwn(words, value) ? words[value]! : value.replaceAll('_', ' ');
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: string[];
}

/** The known values of each field, by its name. */
const KNOWN = new Map<string, Set<string>>();
for (const { schema } of COMMANDS) noteKnown(schema as Schema);

function noteKnown({ properties = {} }: Schema): void {
  for (const [name, { examples = [], items }] of Object.entries(properties)) {
    KNOWN.set(name, new Set([...(KNOWN.get(name) ?? []), ...examples]));
    if (items) noteKnown(items);
  }
}

/** The fields of a type in the order of its schema, after those that name it and before those of its history. */
export function copiedFields(type: EntityType): string[] {
  const { schema } = COMMANDS.find(({ recordType }) => recordType === type)!;
  const own = Object.keys(schema.properties as object).filter((name) => !HISTORY.includes(name));
  const fed = own.map((name) => REFERENCES.get(name) ?? name);
  return [
    ...new Set(['remote_id', ...fed, 'id', 'company', ...HISTORY.filter((name) => name !== 'deleted')]),
  ];
}

const HISTORY = ['created_at', 'updated_at', 'source_updated_at', 'deleted_at', 'deleted'];
