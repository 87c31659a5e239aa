import { Argument, type Command } from 'commander';
import { count } from '../../domain/count';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/entity-types';
import { askerWith } from '../asker';
import { CliError, EXIT } from '../cli-error';
import type { Connections } from '../connections';
import { controlParts, done } from '../control-parts';
import { note, printJson } from '../print';
import { requireCarried } from '../require-stored';

interface Options {
  account?: string;
  reason?: string | null;
  json?: true;
}

export function resendCommand(program: Command, connections: Connections): void {
  program
    .command('resend')
    .description('send single records again; no marker moves')
    .argument('<channel>', 'its slug')
    .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
    .argument('[ids...]', 'records, by their ids in the feed')
    .option('--account <id>', 'all of this account, like 42-1001')
    .action(async (slug: string, entityType: EntityType, ids: string[], options: Options) => {
      const { account, reason = null, json } = options;
      if ((ids.length === 0) === (account === undefined))
        throw new CliError('which records?', 'name their ids, or give --account <id>', EXIT.usage);
      const { resend } = await import('../../control/resend.js');
      const { TooManyRecords } = await import('../../store/window/choose-records.js');
      const { parts, channel } = await controlParts(connections, slug);
      requireCarried(channel, entityType);
      const asked = { entityType, choice: account === undefined ? { ids } : { account } };
      const resent = await resend(parts, channel, asked, askerWith(reason)).catch((error: unknown) => {
        if (!(error instanceof TooManyRecords)) throw error;
        throw new CliError(`${account} has too many ${entityType} for this`, 'reset the marker instead');
      });
      const { records, unknown, starts } = done(resent, (result) => result.starts === 'now');
      if (records === 0) throw new CliError(`none of these is the channel’s`, `ids are those of the feed`);
      if (json) return printJson({ records, unknown, starts });
      process.stdout.write(`resends ${count(records, WRAPPER_KEYS[entityType], entityType)}\n`);
      if (unknown.length > 0) note(`not the channel’s: ${unknown.join(', ')}`);
    });
}
