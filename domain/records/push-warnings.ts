import { commandNamed } from './commands';
import { MisspeltFields } from './misspelt-fields';
import { type RecordWarning, recordWarnings, sayWarning } from './record-warnings';
import { pathIn, type PushedRecord } from './validate-push';
import { MessageCollector, type ValidationMessages } from './validation-messages';

/** What is suspicious about the records of a push, as its receipt tells the ERP (docs/contract.md E14). */
export interface PushWarnings {
  /** The number of warnings. `messages` has the first 100. */
  readonly count: number;
  /** By path, as in `validation_messages`. */
  readonly messages: ValidationMessages;
  /** The first few with their records, for the log. */
  readonly shown: string[];
}

type Commands = readonly Readonly<Record<string, Readonly<Record<string, readonly PushedRecord[]>>>>[];

const SHOWN = 3;

/**
 * The warning for a record that a later one of the same id replaces.
 * @param by the path of the record that is stored
 */
const replaced = (by: string): RecordWarning => ({
  field: 'id',
  message: `comes again as ${by}: that one is stored`,
});

/** @param body a push that `validatePush` has found valid */
export function pushWarnings(body: unknown): PushWarnings {
  const found = new MessageCollector();
  const shown: string[] = [];
  const names = new MisspeltFields();
  let count = 0;
  const batches = batchesOf((body as { data: Commands }).data);
  const last = new Map(batches.map(({ type }) => [type, new Map<string, string>()]));
  for (const { type, path, records } of batches)
    for (const [place, { id }] of records.entries()) last.get(type)!.set(id, `${path}[${place}]`);
  for (const { type, path, records } of batches) {
    for (const [place, record] of records.entries()) {
      const at = `${path}[${place}]`;
      const stored = last.get(type)!.get(record.id)!;
      for (const warning of stored === at ? recordWarnings(type, record, names) : [replaced(stored)]) {
        found.add(`${at}.${warning.field}`, warning.message);
        if (++count <= SHOWN) shown.push(`${type} ${record.id}: ${sayWarning(warning)}`);
      }
    }
  }
  return { count, messages: found.messages(), shown };
}

const batchesOf = (commands: Commands) =>
  commands.map((entry, index) => {
    const command = commandNamed(Object.keys(entry)[0]!)!;
    const { name, recordType: type } = command;
    return { type, path: pathIn(`data[${index}]`, command), records: entry[name]![type]! };
  });
