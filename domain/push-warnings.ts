import { commandNamed } from './commands';
import { recordWarnings } from './record-warnings';
import { sayWarning } from './record-warning';
import { pathIn, type PushedRecord } from './validate-push';
import { MessageCollector, type ValidationMessages } from './validation-messages';

/** What is suspicious about the records of a push, as its receipt tells the ERP (docs/contract.md E14). */
export interface PushWarnings {
  /** How many there are; `messages` has the first 100. */
  readonly count: number;
  /** By path, as in `validation_messages`. */
  readonly messages: ValidationMessages;
  /** The first few, by record, for the log. */
  readonly shown: string[];
}

type Commands = readonly Readonly<Record<string, Readonly<Record<string, readonly PushedRecord[]>>>>[];

const SHOWN = 3;

/** @param body a push that `validatePush` has found valid */
export function pushWarnings(body: unknown): PushWarnings {
  const found = new MessageCollector();
  const shown: string[] = [];
  let count = 0;
  for (const [index, entry] of (body as { data: Commands }).data.entries()) {
    const command = commandNamed(Object.keys(entry)[0]!)!;
    const path = pathIn(`data[${index}]`, command);
    const { recordType: type } = command;
    for (const [place, record] of entry[command.name]![type]!.entries()) {
      for (const warning of recordWarnings(type, record)) {
        found.add(`${path}[${place}].${warning.field}`, warning.message);
        if (++count <= SHOWN) shown.push(`${type} ${record.id}: ${sayWarning(warning)}`);
      }
    }
  }
  return { count, messages: found.messages(), shown };
}
