import { msNow } from '../../domain/time/elapsed';
import type { Command } from 'commander';
import { CHANNEL_SETTINGS } from '../../control/all-channel-settings';
import { beginTypes } from '../../control/begin-channel';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { noteChange, noteNewAddress } from '../../store/alerts/customer-notices';
import type { Before } from '../../store/callers/operator-actions';
import type { Channel } from '../../store/channels/channels';
import { type ChannelChanges, setChannel } from '../../store/channels/set-channel';
import { listGranted } from '../../store/consent/subscriptions';
import type { Store } from '../../store/store';
import { channelDocument } from '../channel-document';
import { channelChanges, changeOptions, type ChangeOptions } from '../channel-options';
import { CliError, UsageError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { note, sayBefore } from '../../client/print';
import { channelNamed, requireChannel } from '../require-stored';
import { testBaseUrl } from '../test-base-url';

export function channelSetCommand(channel: Command, { changes }: Envelope): void {
  changes(
    changeOptions(channel.command('set')).description('change the settings that are given'),
    async (call, slug: string, options: ChangeOptions) => {
      const wanted = channelChanges(options, await call.settings());
      if (Object.keys(wanted).length === 0)
        throw new UsageError('nothing to change', 'name a setting, like --cadence 30m');
      const { was, changed } = await change(call, slug, wanted, options);
      await tellWorkflow(call, slug, wanted, was);
      const { paused: _, failing: __, closed: ___, ...json } = channelDocument(changed, msNow());
      return { json, facts: { ...json, companies: json.companies.length === 0 ? 'all' : json.companies } };
    },
  );
}

async function change(
  call: Call,
  slug: string,
  changes: ChannelChanges,
  { untested }: ChangeOptions,
): Promise<{ was: Channel; changed: Channel }> {
  await call.preparedStore();
  const was = await channelNamed(call, slug);
  refuseNowhere(slug, changes.delivery ?? was.delivery, changes.base_url ?? was.base_url);
  if (!untested) await tryNewUrl(call, was, changes);
  const about = [...Object.keys(changes), ...(untested ? ['untested'] : [])].join(', ');
  const recorded = { channel: slug, about, before: settingsOf(was, changes) };
  const make = async (store: Store) => {
    const refuse = (found: Channel) => refuseUnagreed(store, found, changes);
    await beginTypes(store, was, changes);
    const set = requireChannel(await setChannel(store, slug, changes, refuse), slug);
    if ((changes.base_url ?? was.base_url) !== was.base_url) await noteChange(store, was, 'delivery.moved');
    if (changes.notify_url !== undefined) await noteNewAddress(store, was, changes.notify_url);
    return set;
  };
  const changed = await call.record(recorded, make, (set) => `Now ${sayBefore(settingsOf(set, changes))}.`);
  return { was, changed };
}

/**
 * Refuses entity types, a purpose or recipients that farmers have not agreed to (docs/contract.md S5). A purpose or recipients
 * may be set where the channel has none. @throws CliError
 */
async function refuseUnagreed(store: Store, channel: Channel, wanted: ChannelChanges): Promise<void> {
  const { entity_types = [], purpose, passes_on } = wanted;
  const added = entity_types.filter((type) => !channel.entity_types.includes(type));
  const isOther = (before: unknown, after: unknown) =>
    before !== undefined && after !== undefined && JSON.stringify(before) !== JSON.stringify(after);
  const others: string[] = [
    ...added,
    ...(isOther(channel.purpose, purpose) ? ['this purpose'] : []),
    ...(isOther(channel.passes_on, passes_on) ? ['these recipients'] : []),
  ];
  if (channel.scope !== 'subscribed' || others.length === 0) return;
  const granted = await listGranted(store, channel._id);
  if (granted.length === 0) return;
  throw new CliError(
    `the farmers of ${granted.length} shared accounts have not agreed to ${others.join(', ')}`,
    'add another channel for the customer, and let its farmers agree there',
  );
}

/**
 * Tests a new base URL before it is stored: real pages carry Authorization and headers, which no stranger must get. The test page
 * carries neither, so a 401 counts as the customer's answer if the channel has any.
 */
async function tryNewUrl(call: Call, was: Channel, changes: ChannelChanges): Promise<void> {
  const { base_url, authorization, headers = [] } = { ...was, ...changes };
  if (base_url === was.base_url) return;
  const answer = await testBaseUrl(call, was, { newUrl: base_url });
  const verdict = classifyAnswer(answer);
  if (!verdict) return note(`${base_url}/feed took a test page.`);
  // Any stranger's gateway may answer 403 or 407. A 401 asks for the credentials that the test page did not carry.
  if (answer.status === 401 && (authorization || headers.length > 0))
    return note(
      `${base_url}/feed answered 401 to a test page, which carries no Authorization: so it asks for it.`,
    );
  throw new CliError(
    `nothing was changed: ${base_url}/feed ${verdict.reason} when it got a test page`,
    'correct --base-url, or add --untested',
  );
}

async function tellWorkflow(call: Call, slug: string, changes: ChannelChanges, was: Channel): Promise<void> {
  const temporal = await call.temporal();
  // Otherwise a delivery would keep waiting until its page is collected, or until a Retry-After of a post has expired.
  const heard =
    changes.delivery && changes.delivery !== (was.delivery ?? 'push')
      ? await temporal.deliverNow(slug, { request_id: call.asker.request_id })
      : await temporal.settingsChanged(slug, `changed: ${Object.keys(changes).join(', ')}`);
  if (!heard) note('Temporal does not answer: the settings are stored and apply from the next run.');
}

function refuseNowhere(slug: string, delivery: Channel['delivery'], base_url: string): void {
  if (delivery === 'pull' || base_url) return;
  throw new UsageError(`${slug} has no base URL to post its pages to`, 'add --base-url <url>');
}

/** The settings that change; of a secret only whether there is one, of headers their names. */
const settingsOf = (channel: Channel, changes: ChannelChanges): Before =>
  Object.fromEntries(
    CHANNEL_SETTINGS.filter(([name]) => name in changes).map(([name, { shown }]) => [
      name,
      shown ? shown(channel) : ((channel[name] ?? null) as Before[string]),
    ]),
  );
