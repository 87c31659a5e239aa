import { COMMANDS, type Command } from '../../domain/commands';
import { isEntityType, WRAPPER_KEYS, type EntityType } from '../../domain/entity-types';
import { fedSchema } from './fed-schema';
import { ref } from './operation';
import { wordedSchema } from './worded-schema';

/** Components by name: `Ticket` as it is pushed; `FedTicket` and `TicketsPage` as it is fed. */
export function recordSchemas(): Record<string, object> {
  return Object.assign({}, ...COMMANDS.map(componentsOf)) as Record<string, object>;
}

export const titleOf = ({ schema }: Command): string => String(schema.title);

/** `AccountsPage` */
export const pageName = (type: EntityType) => `${type[0]?.toUpperCase()}${type.slice(1)}Page`;

function componentsOf(command: Command): Record<string, object> {
  const { recordType, schema } = command;
  const pushed = wordedSchema(schema);
  if (!isEntityType(recordType)) return { [titleOf(command)]: pushed };
  const fed = `Fed${titleOf(command)}`;
  return {
    [titleOf(command)]: pushed,
    [fed]: fedSchema(pushed),
    [pageName(recordType)]: pageOf(WRAPPER_KEYS[recordType], fed),
  };
}

function pageOf(wrapper: string, record: string): object {
  const wrapped = { type: 'object', required: [wrapper], properties: { [wrapper]: ref(record) } };
  return {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array', items: wrapped, description: 'In the order in which the changes were stored.' },
      meta: ref('PageMeta'),
    },
  };
}
