import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import type { EntityType } from '../../domain/entity-types';
import type { Before } from '../../store/callers/operator-actions';
import type { Channel } from '../../store/channels/channels';
import type { ChannelChanges } from '../../store/channels/set-channel';
import { changeOptions, type ChangeOptions, channelChanges } from '../channel-options';
import { CliError, EXIT } from '../cli-error';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { requireChannel } from '../require-stored';
import { testBaseUrl } from '../test-base-url';

export function channelSetCommand(group: Command, connections: Connections): void {
  changeOptions(group.command('set'))
    .description('change the settings that are given')
    .action(async (slug: string, options: ChangeOptions) => {
      const changes = channelChanges(options, await connections.settings());
      if (Object.keys(changes).length === 0) {
        throw new CliError('nothing to change', 'name a setting, like --cadence 30m', EXIT.usage);
      }
      const { was, channel } = await change(slug, changes, options);
      await tellWorkflow(slug, changes, was);
      const { channelDocument } = await import('../channel-document.js');
      const { paused: _, failing: __, ...shown } = channelDocument(channel, Date.now());
      if (options.json) printJson(shown);
      else printFacts(shown);
    });

  /** A consent names the entity types (docs/contract.md S5): farmers have not agreed to others. */
  async function refuseUnagreed(channel: Channel, wanted: EntityType[]): Promise<void> {
    const added = wanted.filter((type) => !channel.entity_types.includes(type));
    if (channel.scope !== 'subscribed' || added.length === 0) return;
    const { listGranted } = await import('../../store/consent/subscriptions.js');
    const granted = await listGranted(await connections.store(), channel._id);
    if (granted.length === 0) return;
    throw new CliError(
      `${granted.length} accounts are shared without ${added.join(', ')}: their farmers have not agreed to it`,
      'add another channel for the customer, and let its farmers agree there',
    );
  }

  async function change(
    slug: string,
    changes: ChannelChanges,
    { untested, reason }: ChangeOptions,
  ): Promise<{ was: Channel; channel: Channel }> {
    const { findChannel } = await import('../../store/channels/channels.js');
    const { noteBegunTelling } = await import('../../store/alerts/customer-notices.js');
    const { setChannel } = await import('../../store/channels/set-channel.js');
    const was = requireChannel(await findChannel(await connections.preparedStore(), slug), slug);
    refuseNowhere(slug, changes.delivery ?? was.delivery, changes.base_url ?? was.base_url);
    if (!untested) await tryNewUrl(was, changes);
    const about = [...Object.keys(changes), ...(untested ? ['untested'] : [])].join(', ');
    const recorded = { action: 'channel set', channel: slug, about, reason } as const;
    const refuse = (found: Channel) => refuseUnagreed(found, changes.entity_types ?? []);
    const channel = await recordChange(
      connections,
      { ...recorded, before: settingsBefore(was, changes) },
      async (store) => {
        const changed = requireChannel(await setChannel(store, slug, changes, refuse), slug);
        if (changes.notify_url) await noteBegunTelling(store, changed);
        return changed;
      },
    );
    return { was, channel };
  }

  /**
   * The next page carries the stored Authorization, which no stranger must get. The test page does not: a customer who asks
   * for it has answered.
   */
  async function tryNewUrl(was: Channel, changes: ChannelChanges): Promise<void> {
    const { base_url, authorization } = { ...was, ...changes };
    if (base_url === was.base_url) return;
    const { classifyAnswer } = await import('../../domain/classify-answer.js');
    const moved = { ...was, base_url };
    const asked = { withRecord: false, withAuthorization: false };
    const verdict = classifyAnswer(await testBaseUrl(connections, moved, asked));
    if (!verdict || (verdict.failure === 'unauthorized' && authorization)) return;
    throw new CliError(
      `nothing was changed: ${base_url}/feed ${verdict.reason} when it got a test page`,
      'correct --base-url, or add --untested',
    );
  }

  async function tellWorkflow(slug: string, changes: ChannelChanges, was: Channel): Promise<void> {
    const temporal = await connections.temporal();
    // Otherwise a delivery would go on waiting until its page is collected, or until a Retry-After of a post is over.
    const heard =
      changes.delivery && changes.delivery !== (was.delivery ?? 'push')
        ? await temporal.deliverNow(slug, { request_id: randomUUID() })
        : await temporal.settingsChanged(slug, `changed: ${Object.keys(changes).join(', ')}`);
    if (!heard) note('Temporal does not answer: the settings are stored and apply from the next run.');
  }
}

function refuseNowhere(slug: string, delivery: Channel['delivery'], base_url: string): void {
  if (delivery === 'pull' || base_url) return;
  throw new CliError(`${slug} has no base URL to post its pages to`, 'add --base-url <url>', EXIT.usage);
}

/** The settings that change, as they were; of a secret only whether there was one. */
function settingsBefore(channel: Channel, changes: ChannelChanges): Before {
  const names = Object.keys(changes) as (keyof ChannelChanges)[];
  return Object.fromEntries(
    names.map((name) => [name, name === 'authorization' ? name in channel : (channel[name] ?? null)]),
  );
}
