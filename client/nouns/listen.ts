import type { Command } from 'commander';
import { formatCadence } from '../../domain/deliveries/cadence';
import { timeOfDay } from '../../domain/time/instants';
import type { ReadsEnvelope, ServiceCall } from '../run-command';
import { createFeedClient } from '../listen/feed-client';
import { forwardPage } from '../listen/forward-page';
import { listen, type SeenPage } from '../listen/listen';
import { timeOption } from '../parse-options';
import { note, noteWait, printOutput } from '../print';
import { readHttpAddress, readTarget } from '../service/read-target';

interface Options {
  forwardTo: string;
  authorization?: string;
  url?: string;
  tokenFile?: string;
  every: number;
  once?: true;
}

export function listenCommands(noun: Command, { reads }: ReadsEnvelope): void {
  reads(
    noun
      .argument('<channel>', 'its slug; the channel must be one of `--delivery pull`')
      .requiredOption('--forward-to <url>', 'each page is posted to <url>/feed, and confirmed by its 2xx')
      .option('--authorization <key>', 'sent to the receiver with every page')
      .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
      .option('--token-file <file>', 'holds the channel’s key. Unset: GDX_TOKEN')
      .addOption(timeOption('--every <time>', 'how often to ask while there is nothing', '10s'))
      .option('--once', 'end when nothing is left to send')
      .option('--json', 'one JSON document a page on stdout'),
    collect,
  );
}

async function collect(call: ServiceCall, slug: string, options: Options): Promise<void> {
  const settings = await call.serviceSettings();
  const { url, token } = await readTarget(settings, 'channel', options);
  const { signingSecret } = settings;
  const receiver = { name: 'the address of the receiver', advice: 'say --forward-to http://localhost:9000' };
  const target = {
    url: readHttpAddress(options.forwardTo, receiver),
    authorization: options.authorization,
  };
  if (!signingSecret) note('GDX_SIGNING_SECRET is not set: the pages’ signatures are not checked here.');
  note(`Collecting from ${url}, handing on to ${target.url}/feed. Ctrl-C ends it at any time.`);
  const say = (seen: SeenPage) => printOutput({ json: seen, text: `${pageLine(seen)}\n` }, call.json);
  await listen({
    feed: createFeedClient(slug, { url, token, retryForMs: undefined, onWait: noteWait }),
    take: (page) => forwardPage(target, page),
    signingSecret,
    everyMs: options.once ? undefined : options.every,
    onPage: say,
    onRefused(seen, waitMs) {
      say(seen);
      note(`Not confirmed: the same page again in ${formatCadence(Math.ceil(waitMs / 1_000) * 1_000)}.`);
    },
  });
  note('Nothing is left to send.');
}

/** @param taker who took the page */
export const pageLine = (
  { entity_type, page, records, signature, receiver, result }: SeenPage,
  taker = 'receiver',
) =>
  [
    timeOfDay(new Date()),
    entity_type.padEnd('settlements'.length),
    `page ${page}, ${records} records, ${signature}, ${taker}: ${receiver}, ${result}`,
  ].join('  ');
