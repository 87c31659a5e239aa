import type { Command } from 'commander';
import { channelOptions, type ChannelOptions, channelSettings } from '../channel-options';
import { CliError } from '../cli-error';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';

export function channelAddCommand(group: Command, connections: Connections): void {
  channelOptions(group.command('add'))
    .description('create a customer’s feed; prints its key and signing secret once')
    .action(async (slug: string, options: ChannelOptions) => {
      const settings = channelSettings(options, await connections.settings());
      const { apiKey, signingSecret, publicKey } = await add(slug, settings, options);
      note('The API key and the signing secret are shown only once: hand them to the customer now.');
      if (settings.scope === 'all' && settings.callback_origins.length > 0)
        note('Scope all: the channel carries every record, so farmers have nothing to choose.');
      if (!(await (await connections.temporal()).ensureRunning(slug, settings.cadence_ms))) {
        note('Temporal does not answer: the reconciler starts the channel once it is back.');
      }
      const answer = { slug, api_key: apiKey, signing_secret: signingSecret, public_key: publicKey };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function add(
    slug: string,
    settings: ReturnType<typeof channelSettings>,
    { since, reason }: ChannelOptions,
  ): Promise<{ apiKey: string; signingSecret: string; publicKey: string }> {
    const { addChannel, ChannelExists, findChannel } = await import('../../store/channels/channels.js');
    const { beginMarkers } = await import('../../store/markers/markers.js');
    const { refuseMixed } = await import('../sandbox/keep-apart.js');
    const { startPositions } = await import('../start-positions.js');
    const taken = new CliError(
      `channel ${slug} exists already`,
      `pick another slug, or see \`gdx channel show ${slug}\``,
    );
    const store = await connections.preparedStore();
    if (await findChannel(store, slug)) throw taken;
    await refuseMixed(store, settings.companies);
    const about = `${settings.name}, ${settings.base_url || 'collected by the customer'}, ${settings.companies.join(', ') || 'all companies'}`;
    const change = { action: 'channel add', channel: slug, about, before: {}, reason } as const;
    return recordChange(connections, change, async () => {
      // Before the channel exists: a run may start as soon as it does, and would begin with everything.
      await beginMarkers(store, slug, await startPositions(store, settings, since));
      return addChannel(store, slug, settings).catch((error: unknown) => {
        throw error instanceof ChannelExists ? taken : error;
      });
    });
  }
}
