import { Argument, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import { recordWarnings, sayWarning } from '../../domain/records/record-warnings';
import { traceForOperator } from '../../control/trace-record';
import { findRecord, idsMeant } from '../../store/records/records';
import { CliError, UsageError } from '../../client/cli-error';
import { endings } from '../../store/callers/endings';
import { wasBegun } from '../../store/callers/operator-actions';
import { listCarriers } from '../../store/consent/subscriptions';
import { eraseRecord } from '../../store/sharing/erase-record';
import { awaitedBy, highestOf, listGrantedOfEnding } from '../../store/sharing/erase-records';
import type { Store } from '../../store/store';
import { parseText } from '../../client/parse-options';
import { formatJson } from '../../client/print';
import type { Call, Envelope } from '../envelope';
import { sayEnding } from './integration-close';
import { dryRun } from '../dry-run';

export function recordCommands(record: Command, { reads, changes }: Envelope): void {
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
      const id = await idMeant(await store(), company, type, given);
      const trace = id === undefined ? undefined : await traceForOperator(await store(), { type, id });
      if (!trace) throw notPushed(company, type, given);
      const { channels, ...facts } = trace;
      return {
        json: trace,
        facts: { ...facts },
        table: channels.map(({ channel, outcome, says }) => ({ channel, outcome, says })),
        none: 'There is no channel.',
      };
    },
  );
  changes(
    record
      .command('erase')
      .description(
        'delete one record at customers as its ERP would, then erase it; the ERP must not push it again',
      )
      .argument('<company>', 'the id of its company, like 42')
      .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
      .argument('<id>', 'as its ERP has it, like T-17, or as the feed has it, like 42-T-17')
      .addOption(dryRun('only say what would happen, or how far it is'))
      .option('--yes', 'do not ask')
      .requiredOption('--reason <text>', 'why, for whoever looks next', parseText),
    erase,
  );
}

/** @returns undefined where there is no such record @throws UsageError where there are two */
async function idMeant(
  store: Store,
  company: string,
  type: EntityType,
  given: string,
): Promise<string | undefined> {
  const found: string[] = [];
  for (const id of idsMeant(company, given)) if (await findRecord(store, type, id)) found.push(id);
  if (found.length < 2) return found[0];
  const [fed, own] = found as [string, string];
  const short = given.slice(`${company}-`.length);
  throw new UsageError(
    `${given} may be two of the ${type}: ${fed}, which its ERP has as ${short}, or ${own}, which it has as ${given}`,
    `say ${short} for the first, or ${own} for the second`,
  );
}

/** The id of a record that was erased: nothing but what operators did knows it still. */
async function idErased(
  store: Store,
  company: string,
  type: EntityType,
  given: string,
): Promise<string | undefined> {
  for (const id of idsMeant(company, given))
    if (await wasBegun(store, { action: 'record erase', about: aboutErased(type, id) })) return id;
  return undefined;
}

const aboutErased = (type: EntityType, id: string) => `${type} ${id}`;

const notPushed = (company: string, type: EntityType, given: string) =>
  new CliError(
    `no ERP has pushed ${given} among the ${type} of company ${company}`,
    '`gdx integration list` shows who pushes, `gdx integration check <id>` what its records refer to and lack',
  );

async function erase(
  call: Call,
  company: string,
  type: EntityType,
  given: string,
  { dryRun, reason }: { dryRun?: true; reason: string },
) {
  const store = await call.store();
  const there = await idMeant(store, company, type, given);
  const id = there ?? (await idErased(store, company, type, given));
  if (id === undefined) throw notPushed(company, type, given);
  if (!dryRun && there !== undefined) {
    await call.confirm(`${id} of the ${type} is deleted at every customer and then erased. Continue?`);
    const change = { channel: null, about: aboutErased(type, id), before: {} };
    await call.record(change, (to) => eraseRecord(to, type, id, reason));
  }
  const ending = await endings(store).findOne({ _id: `${type}/${id}` });
  const ofOne = { company: { id: company, name: company }, record: { type, id } };
  const waits_for = ending ? await awaitedBy(store, ending, await highestOf(store, ofOne)) : [];
  const grants = (await listGrantedOfEnding(store, ofOne)).length;
  const channels = (await listCarriers(store, company)).map(({ _id: slug }) => slug);
  const ended = there === undefined ? 'erased' : 'there';
  const state = ending ? (ending.told_at ? 'erasing' : 'deleting') : ended;
  const notes = state === 'there' ? [] : [sayEnding(state, waits_for)];
  return { facts: { id, state, grants, channels, waits_for }, notes };
}
