import type { Command } from 'commander';
import { revokesOf, shareAccounts } from '../../control/share-accounts';
import type { Channel } from '../../store/channels/channels';
import { listEnded, listGranted, listGrantedOf, type Subscription } from '../../store/consent/subscriptions';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { parseText } from '../../client/parse-options';
import { note } from '../../client/print';
import { channelEvenClosed, channelNamed } from '../require-stored';

interface RevokeOptions {
  account: string;
  reason: string;
  partnerId?: string;
  phoneEnding?: string;
}

export function subscriptionsCommands(subscriptions: Command, { reads, changes }: Envelope): void {
  reads(
    subscriptions
      .enablePositionalOptions()
      .argument('<channel>', 'its slug')
      .option('--partner-id <id>', 'only under this partner_id')
      .option('--ended', 'what is shared no longer, and what its customer has said of its deletion'),
    list,
  );
  // For farmers who cannot use the page because they lost their phone.
  changes(
    subscriptions
      .command('revoke')
      .description('end the sharing of an account on the farmer’s word, where their phone is gone')
      .argument('<channel>', 'its slug')
      .requiredOption('--account <id>', 'the account’s record id, like 42-1001')
      .requiredOption('--reason <text>', 'who asked and how you know; kept in the ledger', parseText)
      .option('--partner-id <id>', 'only what is shared under this partner_id')
      .option(
        '--phone-ending <digits>',
        'only what this farmer shares: the last two digits of their old phone',
      )
      .option('--yes', 'do not ask'),
    revoke,
  );
}

const ALL = 'The channel’s scope is all: it gets every record, shared or not.';

interface ListOptions {
  partnerId?: string;
  ended?: true;
}

async function list(call: Call, slug: string, { partnerId, ended }: ListOptions) {
  const { scope } = await channelEvenClosed(call, slug);
  const store = await call.store();
  if (ended) {
    const table = (await listEnded(store, slug, { partnerId })).map(endedRow);
    return { table, none: 'Nobody has stopped sharing.' };
  }
  const table = (await listGranted(store, slug, partnerId)).map(grantedRow);
  return scope === 'all' ? { notes: [ALL], table } : { table, none: 'Nothing is shared: no page is sent.' };
}

/** As `GET .../subscriptions` says it: `earlier` is false where only new and changed records are shared. */
const grantedRow = ({
  account,
  partner_id,
  since,
  from,
  ends_at = null,
  sent,
  phone_ending,
}: Subscription) => ({
  account,
  partner_id,
  since,
  earlier: !from,
  ends_at,
  last_sent_at: sent?.at ?? null,
  phone_ending,
});

/** `delete` is false where the customer is not asked to delete, as somebody else still shares the account. */
const endedRow = ({ account, partner_id, ended_at, sent, deletion, phone_ending }: Subscription) => ({
  account,
  partner_id,
  ended_at,
  last_sent_at: sent?.at ?? null,
  delete: !!deletion,
  asked_at: deletion?.asked_at ?? null,
  confirmed_at: deletion?.confirmed_at ?? null,
  phone_ending,
});

async function revoke(call: Call, slug: string, options: RevokeOptions) {
  const { account, reason } = options;
  const channel = await channelNamed(call, slug);
  const { ending, staying } = await choose(call, channel, options);
  await call.confirm(`${consequence(channel, account, ending, staying)} Continue?`);
  const { request_id } = call.asker;
  // Records neither phone nor partner_id, as the record outlives the erasure of a farmer. The ledger has the
  // grants.
  const change = { channel: slug, about: account, before: { grants: ending.length } };
  const { changed, last, signalled } = await call.record(change, async (store) => {
    const parts = { store, temporal: await call.temporal() };
    const revokes = revokesOf(channel, ending, { reason, request_id });
    return shareAccounts(parts, channel, { revokes }, { requestId: request_id });
  });
  // Null where the farmer, or the end of the grant, was faster: nothing was left to revoke.
  const reference = last ? last._id.replace('/', '-') : null;
  if (!signalled) note('Temporal does not answer: the revoke holds all the same, from the next page on.');
  if (channel.scope === 'all') note(ALL);
  const ended = { channel: slug, account, ended: changed, still_shared: staying.length > 0 };
  return { facts: { ...ended, reason, reference, request_id } };
}

/** The grants of the account: those that are to end, and those that stay. */
async function choose({ store }: Call, { _id: slug }: Channel, options: RevokeOptions) {
  const { account, partnerId, phoneEnding } = options;
  const granted = await listGrantedOf(await store(), slug, account);
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

function consequence(channel: Channel, account: string, ending: Subscription[], staying: Subscription[]) {
  const ends = `This ends the sharing of account ${account} with ${channel.name}, ${whoseOf(ending)}.`;
  return staying.length === 0
    ? `${ends} From the next page on they get nothing of it, and are asked to delete what they have.`
    : `${ends} They still get it, as it is also shared ${whoseOf(staying)}.`;
}

const whoseOf = (of: Subscription[]) =>
  of
    .map(({ phone_ending, partner_id }) => `by the phone ending in ${phone_ending} under ${partner_id}`)
    .join(', ');
