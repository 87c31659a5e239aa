import type { Command } from 'commander';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { channelNamed } from '../require-stored';
import { keepMs, rotateOptions, type RotateOptions } from '../token-options';

type Options = RotateOptions & { remove?: true };

export function channelLinkKeyCommand(group: Command, connections: Connections): void {
  rotateOptions(group.command('link-key'))
    .description(
      'a key for a customer to sign its links to farmers with, printed once; unsigned ones are refused',
    )
    .argument('<channel>', 'its slug')
    .option('--remove', 'take unsigned links again')
    .action(async (slug: string, options: Options) => {
      const { liveLinkKeys } = await import('../../store/secrets/link-keys.js');
      const store = await connections.preparedStore();
      const { name } = await channelNamed(connections, slug);
      const before = { link_keys: (await liveLinkKeys(store, slug, new Date()))?.length ?? 0 };
      await confirmEffect(options, name, before.link_keys > 0);
      const about = options.remove ? 'remove' : '';
      const change = { action: 'channel link-key', channel: slug, about, before } as const;
      const answer = options.remove
        ? await recordChange(connections, { ...change, reason: options.reason }, () => remove(slug))
        : await recordChange(connections, { ...change, reason: options.reason }, () => renew(slug, options));
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function renew(slug: string, options: Options) {
    const { newLinkKey } = await import('../../store/secrets/link-keys.js');
    const { linkKey, ...rest } = await newLinkKey(await connections.store(), slug, keepMs(options));
    note('The key is shown only once: hand it to the customer now. Links without its signature are refused.');
    return { slug, link_key: linkKey, ...rest };
  }

  async function remove(slug: string) {
    const { removeLinkKeys } = await import('../../store/secrets/link-keys.js');
    return { slug, removed: await removeLinkKeys(await connections.store(), slug) };
  }
}

async function confirmEffect(
  { remove, revokeOld, yes, json }: Options,
  name: string,
  signs: boolean,
): Promise<void> {
  if (yes || json) return;
  if (remove) await confirm(`From now on anybody can make links in the name of ${name}. Continue?`);
  else if (!signs)
    await confirm(`Links of ${name} that farmers have already are refused from now on. Continue?`);
  else if (revokeOld) await confirm(`Links that ${name} has signed until now are refused. Continue?`);
}
