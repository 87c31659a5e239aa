import type { Command } from 'commander';
import type { EntityType } from '../../domain/entity-types';
import type { Channel } from '../../store/channels';
import type { ChannelChanges } from '../../store/set-channel';
import { changeOptions, type ChangeOptions } from '../channel-options';
import { channelChanges } from '../channel-settings';
import type { Connections } from '../connections';
import { EXIT } from '../exit-codes';
import { Failure } from '../failure';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

export function channelSet(group: Command, connections: Connections): void {
  changeOptions(group.command('set'))
    .description('change settings; what is not named stays as it is')
    .action(async (slug: string, options: ChangeOptions) => {
      const changes = channelChanges(options, await connections.settings());
      if (Object.keys(changes).length === 0) {
        throw new Failure('nothing to change', 'name a setting, like --cadence 30m', EXIT.usage);
      }
      const channel = await change(slug, changes);
      await tellWorkflow(slug, `changed: ${Object.keys(changes).join(', ')}`);
      const { showChannel } = await import('../show-channel.js');
      const { paused: _, failing: __, ...shown } = showChannel(channel, Date.now());
      if (options.json) printJson(shown);
      else printFacts(shown);
    });

  /** A consent names the entity types (contract 8): farmers have not agreed to others. */
  async function refuseUnagreed(channel: Channel, wanted: EntityType[]): Promise<void> {
    const added = wanted.filter((type) => !channel.entity_types.includes(type));
    if (channel.scope !== 'subscribed' || added.length === 0) return;
    const { listGranted } = await import('../../store/subscriptions.js');
    const granted = await listGranted(await connections.store(), channel._id);
    if (granted.length === 0) return;
    throw new Failure(
      `${granted.length} accounts are shared without ${added.join(', ')}: their farmers have not agreed to it`,
      'add another channel for the customer, and let its farmers agree there',
    );
  }

  async function change(slug: string, changes: ChannelChanges): Promise<Channel> {
    const { setChannel } = await import('../../store/set-channel.js');
    const refuse = (before: Channel) => refuseUnagreed(before, changes.entity_types ?? []);
    return requireChannel(await setChannel(await connections.preparedStore(), slug, changes, refuse), slug);
  }

  async function tellWorkflow(slug: string, reason: string): Promise<void> {
    const heard = await (await connections.bell()).settingsChanged(slug, reason);
    if (!heard) note('Temporal does not answer: the settings hold all the same, from the next run on.');
  }
}
