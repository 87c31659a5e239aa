import type { Command } from 'commander';
import { askerWith } from '../asker';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { channelNamed } from '../require-stored';

interface Options {
  now?: boolean;
  reason?: string;
  yes?: true;
  json?: true;
}

export function channelRotateSecretCommand(group: Command, connections: Connections): void {
  group
    .command('rotate-secret')
    .description(
      'a new signing secret and key pair for a customer; pages carry old and new signatures for 24 hours',
    )
    .argument('<channel>', 'its slug')
    .option('--now', 'drop the previous one at once, because it has leaked')
    .option('--yes', 'do not ask')
    .action(async (slug: string, { now: atOnce = false, reason, yes, json }: Options) => {
      const channel = await channelNamed(connections, slug);
      if (atOnce && !yes && !json)
        await confirm('The customer cannot check any page until they have the new one. Continue?');
      await connections.preparedStore();
      const { rotateSecret } = await import('../../control/rotate-secret.js');
      const parts = { store: await connections.store() };
      const rotated = await rotateSecret(parts, channel, { atOnce }, askerWith(reason ?? null));
      if (!rotated) throw new Error('this change was recorded before');
      const { signingSecret, publicKey, old_until } = rotated;
      note('The signing secret is shown only once: hand it to the customer now.');
      const answer = { slug, signing_secret: signingSecret, public_key: publicKey, old_until };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
