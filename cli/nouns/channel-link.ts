import type { Command } from 'commander';
import { makeFarmerLink, type NoLink } from '../../control/make-farmer-link';
import { CliError, UsageError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { parsePartnerId, parsePhoneArgument, wholeNumber } from '../../client/parse-options';
import { channelNamed } from '../require-stored';

interface LinkOptions {
  partnerId: string;
  phone: string;
  callbackUrl?: string;
  days: number;
}

/** Makes a link for a customer who cannot program. The customer's page has a form for the same. */
export function channelLinkCommand(channel: Command, { changes }: Envelope): void {
  changes(
    channel
      .command('link')
      .description(
        'make the signed link that a customer gives to one farmer; nothing of the farmer is stored',
      )
      .argument('<channel>', 'its slug')
      .requiredOption('--partner-id <id>', 'what the customer knows the farmer by', parsePartnerId)
      .requiredOption('--phone <phone>', 'the farmer’s number', parsePhoneArgument)
      .option('--callback-url <url>', 'where the farmer returns to. Unset: the first callback origin')
      .option('--days <days>', 'how long it works', wholeNumber(1, 366, 'Use 1 to 366 days.'), 30),
    link,
  );
}

async function link(call: Call, slug: string, { callbackUrl = '', ...asked }: LinkOptions) {
  const channel = await channelNamed(call, slug);
  const { publicUrl } = await call.settings();
  const store = await call.preparedStore();
  const facts = await call.record({ channel: slug, before: {} }, async () => {
    const made = await makeFarmerLink(store, channel, { ...asked, callbackUrl }, publicUrl);
    if (typeof made === 'string') throw whyNone(made, slug);
    return made;
  });
  return { facts };
}

function whyNone(why: NoLink, slug: string): CliError {
  const origins = `\`gdx channel set ${slug} --callback-origin ...\``;
  switch (why) {
    case 'everything':
      return new CliError(
        `${slug} gets every record without a farmer’s grant`,
        'links are for channels of scope subscribed',
      );
    case 'keyless':
      return new CliError(
        `${slug} has no key to sign links with`,
        `\`gdx channel link-key ${slug}\` makes one`,
      );
    case 'no origin':
      return new UsageError(`${slug} has no callback origin`, origins);
    case 'foreign':
      return new UsageError('the callback URL is not at one of the callback origins of the channel', origins);
  }
}
