import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import type { Channel } from '../../store/channels/channels';
import type { Subscription } from '../../store/consent/subscriptions';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { note, printFacts, printJson } from '../print';
import { parseText } from '../parse-options';
import { recordChange } from '../record-change';
import { channelNamed } from '../require-stored';

interface Options {
  account: string;
  reason: string;
  partnerId?: string;
  phoneEnding?: string;
  yes?: true;
  json?: true;
}

/** For farmers who cannot use the page because they lost their phone. */
export function subscriptionsRevokeCommand(group: Command, connections: Connections): void {
  group
    .command('revoke')
    .description('end the sharing of an account on the farmer’s word, where their phone is gone')
    .argument('<channel>', 'its slug')
    .requiredOption('--account <id>', 'the account’s record id, like 42-1001')
    .requiredOption('--reason <text>', 'who asked and how you know; kept in the ledger', parseText)
    .option('--partner-id <id>', 'only what is shared under this partner_id')
    .option('--phone-ending <digits>', 'only what this farmer shares: the last two digits of their old phone')
    .option('--yes', 'do not ask')
    .action(async (slug: string, options: Options) => {
      const { account, reason, yes, json } = options;
      const channel = await channelNamed(connections, slug);
      const { ending, staying } = await choose(channel, options);
      if (!yes && !json) await confirm(`${consequence(channel, account, ending, staying)} Continue?`);
      const request_id = randomUUID();
      const before = {
        shared: ending.map(({ partner_id, phone_ending }) => `${partner_id}, …${phone_ending}`),
      };
      const change = {
        action: 'subscriptions revoke',
        channel: slug,
        about: account,
        before,
        reason,
      } as const;
      const { changed, last, signalled } = await recordChange(connections, change, () =>
        end(channel, ending, reason, request_id),
      );
      // Null where the farmer, or the end of the grant, was faster: nothing was left to revoke.
      const reference = last ? last._id.replace('/', '-') : null;
      if (!signalled) note('Temporal does not answer: the revoke holds all the same, from the next page on.');
      if (channel.scope === 'all') note('The channel’s scope is all: it gets every record, shared or not.');
      const answer = { channel: slug, account, ended: changed, still_shared: staying.length > 0 };
      if (json) printJson({ ...answer, reason, reference, request_id });
      else printFacts({ ...answer, reason, reference, request_id });
    });

  /** What is shared of the account: what is to end, and what others have granted and stays. */
  async function choose({ _id: slug }: Channel, { account, partnerId, phoneEnding }: Options) {
    const { listGrantedOf } = await import('../../store/consent/subscriptions.js');
    const granted = await listGrantedOf(await connections.store(), slug, account);
    const isMeant = ({ partner_id, phone_ending }: Subscription) =>
      partner_id === (partnerId ?? partner_id) && phone_ending === (phoneEnding ?? phone_ending);
    const ending = granted.filter(isMeant);
    if (ending.length > 0) return { ending, staying: granted.filter((one) => !isMeant(one)) };
    if (granted.length === 0) {
      const advice = `\`gdx subscriptions ${slug}\` shows what is`;
      throw new CliError(`account ${account} is not shared with ${slug}`, advice);
    }
    throw new CliError(
      `account ${account} is shared with ${slug} by somebody else: ${whoseOf(granted)}`,
      'leave out --partner-id or --phone-ending, or correct it',
    );
  }

  async function end(channel: Channel, ending: Subscription[], reason: string, request_id: string) {
    const { revokesOf, shareAccounts } = await import('../../control/share-accounts.js');
    const parts = { store: await connections.store(), temporal: await connections.temporal() };
    const revokes = revokesOf(channel, ending, { reason, request_id });
    return shareAccounts(parts, channel, { revokes }, { requestId: request_id });
  }
}

function consequence(channel: Channel, account: string, ending: Subscription[], staying: Subscription[]) {
  const ends = `This ends the sharing of account ${account} with ${channel.name}, ${whoseOf(ending)}.`;
  return staying.length === 0
    ? `${ends} From the next page on they get nothing of it; what they have stays with them.`
    : `${ends} They go on getting it, as it is also shared ${whoseOf(staying)}.`;
}

const whoseOf = (of: Subscription[]) =>
  of
    .map(({ phone_ending, partner_id }) => `by the phone ending in ${phone_ending} under ${partner_id}`)
    .join(', ');
