import { timeNow } from '../../domain/time/elapsed';
import type { Command } from 'commander';
import { rotateSecret } from '../../control/rotate-secret';
import { channelKeys } from '../../store/channels/channels';
import { setKeyAccess } from '../../store/channels/set-access';
import { liveLinkKeys, newLinkKey, removeLinkKeys } from '../../store/secrets/link-keys';
import { type Call, done, type Envelope } from '../envelope';
import { note } from '../../client/print';
import { channelNamed, requireChannel } from '../require-stored';
import {
  accessChanges,
  accessFacts,
  type AccessOptions,
  accessOptions,
  keepMs,
  keysBefore,
  nothingToChange,
  revokeEffect,
  type RevokeOptions,
  revokeOptions,
  rotateEffect,
  type RotateOptions,
  rotateOptions,
  unlessTwoLive,
  whichToRevoke,
} from '../token-options';

type LinkKeyOptions = RotateOptions & { remove?: true };

/** The commands for a customer's API keys, its signing secret and its link key. */
export function channelKeyCommands(channel: Command, { changes }: Envelope): void {
  changes(
    accessOptions(channel.command('set-key'))
      .description(
        'bind the API keys of a customer to a time and to addresses, or lift that; the feed continues',
      )
      .argument('<channel>', 'its slug'),
    setKey,
  );
  changes(
    rotateOptions(channel.command('rotate-key'))
      .description(
        'create a new API key for a customer, printed once; the previous one stays valid for a while',
      )
      .argument('<channel>', 'its slug'),
    rotateApiKey,
  );
  changes(
    channel
      .command('rotate-secret')
      .description(
        'a new signing secret and key pair for a customer; pages carry old and new signatures for 24 hours',
      )
      .argument('<channel>', 'its slug')
      .option('--now', 'drop the previous one at once, because it has leaked')
      .option('--yes', 'do not ask'),
    rotateSigning,
  );
  changes(
    revokeOptions(channel.command('revoke-key'))
      .description('revoke API keys of a customer at once; the feed continues')
      .argument('<channel>', 'its slug'),
    revokeApiKey,
  );
  changes(
    rotateOptions(channel.command('link-key'))
      .description(
        'a key for a customer to sign its links to farmers with, printed once; unsigned ones are refused',
      )
      .argument('<channel>', 'its slug')
      .option('--remove', 'take unsigned links again'),
    changeLinkKey,
  );
}

async function setKey(call: Call, slug: string, options: AccessOptions) {
  const access = accessChanges(options);
  if (!access) throw nothingToChange();
  const { key_access } = await channelNamed(call, slug);
  const set = await call.record({ channel: slug, before: accessFacts(key_access) }, async (store) =>
    requireChannel(await setKeyAccess(store, slug, access), slug),
  );
  return { facts: { slug, ...accessFacts(set.key_access) } };
}

async function rotateApiKey(call: Call, slug: string, options: RotateOptions) {
  const channel = await channelNamed(call, slug);
  if (options.revokeOld) await call.confirm(rotateEffect('API key', channel.name));
  const rotated = await call.record({ channel: slug, before: keysBefore(channel) }, async (store) => {
    const found = await channelKeys
      .rotate(store, slug, keepMs(options))
      .catch(unlessTwoLive(`gdx channel revoke-key ${slug} --old`));
    return requireChannel(found, slug);
  });
  note('The API key is shown only once: hand it to the customer now.');
  return { facts: { slug, api_key: rotated.token, old_api_key_ends_at: rotated.old_ends_at } };
}

async function rotateSigning(call: Call, slug: string, { now: atOnce = false }: { now?: boolean }) {
  const channel = await channelNamed(call, slug);
  if (atOnce) await call.confirm('The customer cannot check any page until they have the new one. Continue?');
  const parts = { store: await call.preparedStore(), temporal: await call.temporal() };
  const rotated = await rotateSecret.run(parts, channel, { at_once: atOnce }, call.asker);
  const { signingSecret, publicKey, old_until } = done(rotated, () => true);
  note('The signing secret is shown only once: hand it to the customer now.');
  return { facts: { slug, signing_secret: signingSecret, public_key: publicKey, old_until } };
}

async function revokeApiKey(call: Call, slug: string, options: RevokeOptions) {
  const which = whichToRevoke(options);
  const channel = await channelNamed(call, slug);
  await call.confirm(revokeEffect(which, 'API key', channel.name));
  await call.record({ channel: slug, about: which, before: keysBefore(channel) }, async (store) =>
    requireChannel((await channelKeys.revoke(store, slug, which)) || null, slug),
  );
  return { facts: { slug, revoked: which } };
}

async function changeLinkKey(call: Call, slug: string, options: LinkKeyOptions) {
  const store = await call.preparedStore();
  const { name } = await channelNamed(call, slug);
  const before = { link_keys: (await liveLinkKeys(store, slug, timeNow()))?.length ?? 0 };
  const effect = linkEffect(options, name, before.link_keys);
  if (effect) await call.confirm(`${effect} Continue?`);
  if (options.remove) {
    const change = { channel: slug, about: 'remove', before };
    return { facts: { slug, removed: await call.record(change, () => removeLinkKeys(store, slug)) } };
  }
  const { linkKey, ...rest } = await call.record({ channel: slug, about: '', before }, () =>
    newLinkKey(store, slug, keepMs(options)),
  );
  note('The key is shown only once: hand it to the customer now. Links without its signature are refused.');
  return { facts: { slug, link_key: linkKey, ...rest } };
}

function linkEffect({ remove, revokeOld }: LinkKeyOptions, name: string, live: number): string | undefined {
  if (remove) return `From now on anybody can make links in the name of ${name}.`;
  if (live === 0) return `Links of ${name} that farmers have already are refused from now on.`;
  if (revokeOld) return `Links that ${name} has signed until now are refused.`;
  return live > 1
    ? `Links that ${name} has signed with the key before this one are refused from now on.`
    : undefined;
}
