import { Argument, type Command } from 'commander';
import { resend } from '../../control/resend';
import { count } from '../../domain/count';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/entity-types';
import { TooManyRecords } from '../../store/window/choose-records';
import { CliError, UsageError } from '../cli-error';
import { controlParts, done, type Envelope } from '../envelope';
import { requireCarried } from '../require-stored';

export function resendCommands(noun: Command, { changes }: Envelope): void {
  changes(
    noun
      .argument('<channel>', 'its slug')
      .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
      .argument('[ids...]', 'records, by their ids in the feed')
      .option('--account <id>', 'all of this account, like 42-1001'),
    async (call, slug: string, entityType: EntityType, ids: string[], { account }: { account?: string }) => {
      if ((ids.length === 0) === (account === undefined))
        throw new UsageError('which records?', 'name their ids, or give --account <id>');
      const { parts, channel } = await controlParts(call, slug);
      requireCarried(channel, entityType);
      const asked = { entityType, choice: account === undefined ? { ids } : { account } };
      const resent = await resend(parts, channel, asked, call.asker).catch((error: unknown) => {
        if (!(error instanceof TooManyRecords)) throw error;
        throw new CliError(`${account} has too many ${entityType} for this`, 'reset the marker instead');
      });
      const { records, unknown, starts } = done(resent, (result) => result.starts === 'now');
      if (records === 0)
        throw new CliError(`the channel gets none of these records`, `give ids as the feed has them`);
      return {
        json: { records, unknown, starts },
        notes: unknown.length > 0 ? [`the channel does not get: ${unknown.join(', ')}`] : [],
        text: `resends ${count(records, WRAPPER_KEYS[entityType], entityType)}\n`,
      };
    },
  );
}
