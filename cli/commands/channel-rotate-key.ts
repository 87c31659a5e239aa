import type { Command } from 'commander';
import type { Store } from '../../store/store';
import { CliError } from '../cli-error';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { channelNamed, requireChannel } from '../require-stored';
import { confirmRotate, keepMs, keysBefore, rotateOptions, type RotateOptions } from '../token-options';

export function channelRotateKeyCommand(group: Command, connections: Connections): void {
  rotateOptions(group.command('rotate-key'))
    .description(
      'create a new API key for a customer, printed once; the previous one stays valid for a while',
    )
    .argument('<channel>', 'its slug')
    .action(async (slug: string, options: RotateOptions) => {
      const channel = await channelNamed(connections, slug);
      await confirmRotate(options, 'API key', channel.name);
      const change = { action: 'channel rotate-key', channel: slug, before: keysBefore(channel) } as const;
      const { apiKey, old_api_key_ends_at } = await recordChange(
        connections,
        { ...change, reason: options.reason },
        (store) => rotate(store, slug, keepMs(options)),
      );
      note('The API key is shown only once: hand it to the customer now.');
      const answer = { slug, api_key: apiKey, old_api_key_ends_at };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function rotate(store: Store, slug: string, keep: number) {
    const { rotateKey } = await import('../../store/channels/channel-keys.js');
    const { TwoTokensLive } = await import('../../store/callers/live-tokens.js');
    const rotated = await rotateKey(store, slug, keep).catch((error: unknown) => {
      if (!(error instanceof TwoTokensLive)) throw error;
      throw new CliError(error.message, `end it now by \`gdx channel revoke-key ${slug} --old\``);
    });
    return requireChannel(rotated, slug);
  }
}
