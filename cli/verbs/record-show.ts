import { Argument, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

export function recordShow(group: Command, connections: Connections): void {
  group
    .command('show')
    .description('one record as it is stored and fed')
    .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
    .argument('<id>', '<company_id>-<remote_id>')
    .option('--json', 'one JSON document on stdout')
    .action(async (type: EntityType, id: string, { json }: { json?: true }) => {
      const { findRecord } = await import('../../store/records.js');
      const found = await findRecord(await connections.store(), type, id);
      if (!found) {
        throw new Failure(
          `no record ${id} among the ${type}`,
          'an id is <company_id>-<remote_id>, like 42-1001',
        );
      }
      const { _id, wire, company_id, account_ids, position, updated_at, created_at, deleted_at } = found;
      const facts = { id: _id, company_id, account_ids, position, updated_at, created_at, deleted_at };
      const record = JSON.parse(wire.toString('utf8')) as object;
      if (json) return printJson({ ...facts, record });
      printFacts({ ...facts, wire_bytes: wire.length });
      process.stdout.write('\n');
      printJson(record);
    });
}
