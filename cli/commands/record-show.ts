import { Argument, type Command } from 'commander';
import { ENTITY_TYPES, WRAPPER_KEYS, type EntityType } from '../../domain/entity-types';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { printFacts, printJson } from '../print';

export function recordShowCommand(group: Command, connections: Connections): void {
  group
    .command('show')
    .description('one record as stored and as delivered, with its warnings')
    .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
    .argument('<id>', '<company_id>-<remote_id>')
    .action(async (type: EntityType, id: string, { json }: { json?: true }) => {
      const { findRecord } = await import('../../store/records/records.js');
      const { recordWarnings } = await import('../../domain/record-warnings.js');
      const { sayWarning } = await import('../../domain/record-warning.js');
      const found = await findRecord(await connections.store(), type, id);
      if (!found) {
        throw new CliError(
          `no record ${id} among the ${type}`,
          'an id is <company_id>-<remote_id>, like 42-1001',
        );
      }
      const { _id, wire, company_id, account_ids, position, updated_at, created_at, deleted_at } = found;
      const record = JSON.parse(wire.toString('utf8')) as Record<string, Record<string, unknown>>;
      const warnings = recordWarnings(type, record[WRAPPER_KEYS[type]]!).map(sayWarning);
      const facts = { id: _id, company_id, account_ids, position, updated_at, created_at, deleted_at };
      if (json) return printJson({ ...facts, warnings, record });
      printFacts({ ...facts, wire_bytes: wire.length, warnings: warnings.join('; ') });
      process.stdout.write('\n');
      printJson(record);
    });
}
