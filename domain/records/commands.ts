import type { TObject } from '@sinclair/typebox';
import { ENTITY_TYPES, type EntityType } from './entity-types';
import { accountSchema } from './schemas/account';
import { contractSchema } from './schemas/contract';
import { elevatorSchema } from './schemas/elevator';
import { settlementSchema } from './schemas/settlement';
import { ticketSchema } from './schemas/ticket';

/** What a push can contain: the four entity types, and elevators, which are stored and not fed. */
export const RECORD_TYPES = ['elevators', ...ENTITY_TYPES] as const satisfies readonly (
  | EntityType
  | 'elevators'
)[];

export type RecordType = (typeof RECORD_TYPES)[number];

export interface Command {
  /** The one key of a command object. */
  readonly name: `update-${RecordType}`;
  /** The type of the records, and the one key of the payload. */
  readonly recordType: RecordType;
  /** The schema of one record. */
  readonly schema: TObject;
}

const SCHEMAS: Record<RecordType, TObject> = {
  elevators: elevatorSchema,
  accounts: accountSchema,
  contracts: contractSchema,
  tickets: ticketSchema,
  settlements: settlementSchema,
};

/** The five commands of a push (docs/contract.md E3). */
export const COMMANDS: readonly Command[] = RECORD_TYPES.map((recordType) => ({
  name: `update-${recordType}`,
  recordType,
  schema: SCHEMAS[recordType],
}));

// A Map, so that a command called `constructor` is unknown like any other.
const BY_NAME = new Map<string, Command>(COMMANDS.map((command) => [command.name, command]));

export function commandNamed(name: string): Command | undefined {
  return BY_NAME.get(name);
}
