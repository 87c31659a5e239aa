import type { Command } from 'commander';
import { channelOptions, type ChannelOptions } from '../channel-options';
import { channelSettings } from '../channel-settings';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

export function channelAdd(group: Command, connections: Connections): void {
  channelOptions(group.command('add'))
    .description('begin a customer’s feed; prints its key and signing secret, this once')
    .action(async (slug: string, options: ChannelOptions) => {
      const settings = channelSettings(options, await connections.settings());
      const { apiKey, signingSecret } = await add(slug, settings, options.since);
      note('The API key and the signing secret are shown this once: hand them to the customer now.');
      if (settings.companies.length === 0)
        note('No --company named: the channel carries every company’s records.');
      if (settings.scope === 'all' && settings.callback_origins.length > 0)
        note('Scope all: it carries every record, so farmers have nothing to choose on the page.');
      if (!(await (await connections.bell()).ensureRunning(slug, settings.cadence_ms))) {
        note('Temporal does not answer: the reconciler will start the channel when it is back.');
      }
      const answer = { slug, api_key: apiKey, signing_secret: signingSecret };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function add(
    slug: string,
    settings: ReturnType<typeof channelSettings>,
    since: ChannelOptions['since'],
  ): Promise<{ apiKey: string; signingSecret: string }> {
    const { addChannel, ChannelExists, findChannel } = await import('../../store/channels.js');
    const { beginMarkers } = await import('../../store/begin-markers.js');
    const { startPositions } = await import('../start-positions.js');
    const taken = new Failure(
      `channel ${slug} exists already`,
      `pick another slug, or see \`gdx channel show ${slug}\``,
    );
    const store = await connections.preparedStore();
    if (await findChannel(store, slug)) throw taken;
    // Before the channel: a run may plan as soon as it is there, and would begin with everything.
    await beginMarkers(store, slug, await startPositions(store, settings, since));
    return addChannel(store, slug, settings).catch((error: unknown) => {
      throw error instanceof ChannelExists ? taken : error;
    });
  }
}
