import type { Command } from 'commander';
import { checkCallbackOrigin } from '../../domain/base-url';
import { signLink } from '../../domain/link-signature';
import { DAY_MS } from '../../domain/spans';
import type { Channel } from '../../store/channels/channels';
import { liveLinkKeys } from '../../store/secrets/link-keys';
import { CliError, EXIT } from '../cli-error';
import type { Call, Envelope } from '../envelope';
import { parseDays, parsePhoneArgument, parseText } from '../parse-options';
import { channelNamed } from '../require-stored';

interface LinkOptions {
  partnerId: string;
  phone: string;
  callbackUrl?: string;
  days: number;
}

/** For a customer who cannot program: a link for one farmer, as its own system would make it. */
export function channelLinkCommand(channel: Command, { reads }: Envelope): void {
  reads(
    channel
      .command('link')
      .description('make the signed link that a customer gives to one farmer; nothing is stored')
      .argument('<channel>', 'its slug')
      .requiredOption('--partner-id <id>', 'what the customer knows the farmer by', parseText)
      .requiredOption('--phone <phone>', 'the farmer’s number', parsePhoneArgument)
      .option('--callback-url <url>', 'where the farmer returns to. Unset: the first callback origin')
      .option('--days <days>', 'how long it works', parseDays, 30),
    link,
  );
}

async function link(call: Call, slug: string, { partnerId, phone, callbackUrl, days }: LinkOptions) {
  const channel = await channelNamed(call, slug);
  if (channel.scope === 'all')
    throw new CliError(
      `${slug} gets every record without farmers`,
      'links are for channels of scope subscribed',
    );
  const [key] = (await liveLinkKeys(await call.preparedStore(), slug, new Date())) ?? [];
  if (key === undefined)
    throw new CliError(`${slug} has no key to sign links with`, `\`gdx channel link-key ${slug}\` makes one`);
  const expires_at = new Date(Date.now() + days * DAY_MS);
  const values = {
    callback_url: returnTo(channel, callbackUrl, await call.settings()),
    display_name: channel.name,
    partner_id: partnerId,
    partner_slug: slug,
    phone,
    expires: String(Math.floor(expires_at.getTime() / 1_000)),
  };
  const query = new URLSearchParams({ ...values, signature: signLink(key, values)! });
  const { publicUrl } = await call.settings();
  return { facts: { link: `${publicUrl.replace(/\/+$/, '')}/subscriptions?${query}`, expires_at } };
}

function returnTo(
  { _id: slug, callback_origins: origins }: Channel,
  given: string | undefined,
  rules: { production: boolean },
): string {
  const url = given ?? origins[0] ?? '';
  const origin = URL.canParse(url) ? checkCallbackOrigin(new URL(url).origin, rules) : undefined;
  if (origin && 'origin' in origin && origins.includes(origin.origin)) return url;
  throw new CliError(
    given === undefined
      ? `${slug} has no callback origin`
      : 'the callback URL is at no callback origin of the channel',
    `\`gdx channel set ${slug} --callback-origin ...\``,
    EXIT.usage,
  );
}
