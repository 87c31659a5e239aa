import type { Command } from 'commander';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';
import { confirmRotate, keepMs, rotateOptions, type RotateOptions } from '../token-options';

export function channelRotateKey(group: Command, connections: Connections): void {
  rotateOptions(group.command('rotate-key'))
    .description('a new API key for a customer, printed this once; the one before lives on for a while')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, options: RotateOptions) => {
      const { findChannel } = await import('../../store/channels.js');
      const { name } = requireChannel(await findChannel(await connections.store(), slug), slug);
      await confirmRotate(options, 'API key', name);
      const { apiKey, old_api_key_ends_at } = await rotate(slug, keepMs(options));
      note('The API key is shown this once: hand it to the customer now.');
      const answer = { slug, api_key: apiKey, old_api_key_ends_at };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function rotate(slug: string, keep: number) {
    const { rotateKey } = await import('../../store/channel-keys.js');
    const { TwoTokensLive } = await import('../../store/live-tokens.js');
    const rotated = await rotateKey(await connections.store(), slug, keep).catch((error: unknown) => {
      if (!(error instanceof TwoTokensLive)) throw error;
      throw new Failure(error.message, `end it now by \`gdx channel revoke-key ${slug} --old\``);
    });
    return requireChannel(rotated, slug);
  }
}
