import { type Command, Option } from 'commander';
import { formatCadence } from '../../domain/cadence';
import type { SeenPage } from '../listen/listen';
import type { Connections } from '../connections';
import { readHttpAddress } from '../service/read-target';
import { note, printJson } from '../print';
import { parseTime } from '../parse-options';

interface Options {
  forwardTo: string;
  authorization?: string;
  url?: string;
  tokenFile?: string;
  every: number;
  once?: true;
  json?: true;
}

export function listenCommand(program: Command, connections: Connections): void {
  program
    .command('listen')
    .description('collect a channel’s pages and hand them to a receiver here (for the customer’s engineer)')
    .argument('<channel>', 'its slug; the channel must be one of `--delivery pull`')
    .requiredOption('--forward-to <url>', 'each page is posted to <url>/feed, and confirmed by its 2xx')
    .option('--authorization <key>', 'sent to the receiver with every page')
    .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
    .option('--token-file <file>', 'holds the channel’s key. Unset: GDX_TOKEN')
    .addOption(
      new Option('--every <time>', 'how often to ask while there is nothing')
        .argParser(parseTime)
        .default(10_000, '10s'),
    )
    .option('--once', 'end when nothing is left to send')
    .option('--json', 'one JSON document a page on stdout')
    .action(async (slug: string, options: Options) => {
      const { createFeedClient } = await import('../listen/feed-client.js');
      const { listen } = await import('../listen/listen.js');
      const { readTarget } = await import('../service/read-target.js');
      const settings = await connections.serviceSettings();
      const { url, token } = await readTarget(settings, 'channel', options);
      const { signingSecret } = settings;
      const target = {
        url: readHttpAddress(options.forwardTo, RECEIVER),
        authorization: options.authorization,
      };
      if (!signingSecret) note('GDX_SIGNING_SECRET is not set: the pages’ signatures are not checked here.');
      note(`Collecting from ${url}, handing on to ${target.url}/feed. Ctrl-C ends it at any time.`);
      const say = (seen: SeenPage) =>
        options.json ? printJson(seen) : process.stdout.write(`${line(seen)}\n`);
      await listen({
        feed: createFeedClient(slug, {
          url,
          token,
          retryForMs: undefined,
          onWait: (why, waitMs) => note(`${why}: trying again in ${Math.ceil(waitMs / 1_000)} s`),
        }),
        target,
        signingSecret,
        once: options.once ?? false,
        everyMs: options.every,
        onPage: say,
        onRefused(seen, waitMs) {
          say(seen);
          note(`Not confirmed: the same page again in ${formatCadence(Math.ceil(waitMs / 1_000) * 1_000)}.`);
        },
      });
      note('Nothing is left to send.');
    });
}

const line = ({ entity_type, page, records, signature, receiver, result }: SeenPage) =>
  [
    new Date().toISOString().slice(11, 19),
    entity_type.padEnd('settlements'.length),
    `page ${page}, ${records} records, ${signature}, receiver: ${receiver}, ${result}`,
  ].join('  ');

const RECEIVER = { name: 'the address of the receiver', advice: 'say --forward-to http://localhost:9000' };
