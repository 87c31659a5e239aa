import { Argument, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import { recordWarnings, sayWarning } from '../../domain/records/record-warnings';
import { traceForOperator } from '../../control/trace-record';
import { findRecord } from '../../store/records/records';
import { CliError } from '../../client/cli-error';
import type { Envelope } from '../envelope';
import { formatJson } from '../../client/print';

export function recordCommands(record: Command, { reads }: Envelope): void {
  reads(
    record
      .command('show')
      .description('one record as stored and as delivered, with its warnings')
      .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
      .argument('<id>', '<company_id>-<remote_id>'),
    async ({ store }, type: EntityType, id: string) => {
      const found = await findRecord(await store(), type, id);
      if (!found)
        throw new CliError(
          `no record ${id} among the ${type}`,
          'an id is <company_id>-<remote_id>, like 42-1001',
        );
      const { _id, wire, company_id, account_ids, position, updated_at, created_at, deleted_at } = found;
      const delivered = JSON.parse(wire.toString('utf8')) as Record<string, Record<string, unknown>>;
      const warnings = recordWarnings(type, delivered[WRAPPER_KEYS[type]]!).map(sayWarning);
      const facts = { id: _id, company_id, account_ids, position, updated_at, created_at, deleted_at };
      return {
        json: { ...facts, warnings, record: delivered },
        facts: { ...facts, wire_bytes: wire.length, warnings: warnings.join('; ') },
        text: `\n${formatJson(delivered)}`,
      };
    },
  );
  reads(
    record
      .command('trace')
      .description(
        'where one record is: when it was pushed, and for each channel delivered, not yet or never, and why',
      )
      .argument('<company>', 'the id of its company, like 42')
      .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
      .argument('<id>', 'as its ERP has it, like T-17, or as the feed has it, like 42-T-17'),
    async ({ store }, company: string, type: EntityType, given: string) => {
      const own = `${company}-`;
      const ids = [`${own}${given}`, ...(given.startsWith(own) ? [given] : [])];
      for (const id of ids) {
        const trace = await traceForOperator(await store(), { type, id });
        if (!trace) continue;
        const { channels, ...facts } = trace;
        return {
          json: trace,
          facts: { ...facts },
          table: channels.map(({ channel, outcome, says }) => ({ channel, outcome, says })),
          none: 'There is no channel.',
        };
      }
      throw new CliError(
        `no ERP has pushed ${given} among the ${type} of company ${company}`,
        '`gdx integration list` shows who pushes, `gdx integration check <id>` what its records refer to and lack',
      );
    },
  );
}
