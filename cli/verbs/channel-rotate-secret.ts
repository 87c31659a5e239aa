import type { Command } from 'commander';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

interface Options {
  now?: boolean;
  yes?: true;
  json?: true;
}

export function channelRotateSecret(group: Command, connections: Connections): void {
  group
    .command('rotate-secret')
    .description(
      'a new signing secret for a customer, printed this once; pages carry both signatures for 24 hours',
    )
    .argument('<channel>', 'its slug')
    .option('--now', 'drop the one before at once: it is in wrong hands')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either')
    .action(async (slug: string, { now: atOnce = false, yes, json }: Options) => {
      const { findChannel } = await import('../../store/channels.js');
      requireChannel(await findChannel(await connections.store(), slug), slug);
      if (atOnce && !yes && !json)
        await confirm('The customer cannot check any page until he has the new one. Go on?');
      const { signingSecret, old_until } = await rotate(slug, atOnce);
      note('The signing secret is shown this once: hand it to the customer now.');
      const answer = { slug, signing_secret: signingSecret, old_until };
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function rotate(slug: string, atOnce: boolean) {
    const { rotateSigningSecret } = await import('../../store/signing-secrets.js');
    return requireChannel(
      await rotateSigningSecret(await connections.preparedStore(), slug, { atOnce }),
      slug,
    );
  }
}
