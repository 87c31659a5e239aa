import type { Command } from 'commander';
import { count } from '../../domain/records/count';
import { CollectedFolder } from '../collect/collect-into';
import { createFeedClient } from '../listen/feed-client';
import { listen, type SeenPage } from '../listen/listen';
import { CliError } from '../cli-error';
import { parseTime } from '../parse-options';
import { note, noteWait, printOutput } from '../print';
import { takeTurn } from '../push/take-turn';
import type { ReadsEnvelope, ServiceCall } from '../run-command';
import { readTarget } from '../service/read-target';
import { pageLine } from './listen';

interface Options {
  into: string;
  url?: string;
  tokenFile?: string;
  every?: number;
}

export function collectCommands(noun: Command, { reads }: ReadsEnvelope): void {
  reads(
    noun
      .argument('<channel>', 'its slug; the channel must be one of `--delivery pull`')
      .requiredOption('--into <folder>', 'where tickets.csv and the other tables are, or are made')
      .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
      .option('--token-file <file>', 'holds the channel’s key. Unset: GDX_TOKEN')
      .option('--every <time>', 'ask again after this time, and do not end: 10m', parseTime)
      .option('--json', 'one JSON document a page on stdout')
      .addHelpText('after', HOW),
    collect,
  );
}

const HOW = `
Each table has a row for each record that is not deleted, and opens in a spreadsheet. A page is in its table before it is confirmed,
so this may be stopped at any time: run the same again. What a farmer stops sharing is deleted, and the service is told so.
Do not save changes into these files: the next page is written over them. A folder is for one channel, and a channel for one folder.`;

async function collect(call: ServiceCall, slug: string, options: Options): Promise<void> {
  const settings = await call.serviceSettings();
  const { url, token, target } = await readTarget(settings, 'channel', options);
  const { signingSecret } = settings;
  if (!signingSecret) note('GDX_SIGNING_SECRET is not set: the pages’ signatures are not checked here.');
  const endTurn = await takeTurn(`collect ${slug} ${target}`, () =>
    note('Another collect of this channel is running: waiting.'),
  );
  const feed = createFeedClient(slug, { url, token, retryForMs: undefined, onWait: noteWait });
  const folder = new CollectedFolder(options.into, feed);
  note(`Collecting from ${url} into ${options.into}. Ctrl-C ends it at any time.`);
  const say = (seen: SeenPage) =>
    printOutput({ json: seen, text: `${pageLine(seen, `${seen.entity_type}.csv`)}\n` }, call.json);
  await listen({
    feed,
    take: (page) => folder.take(page),
    signingSecret,
    everyMs: options.every,
    onPage: say,
    // A table takes every page that is genuine.
    onRefused() {
      throw new CliError(
        'the page is not signed with GDX_SIGNING_SECRET: nothing was written, and it is not confirmed',
        'check that it is this channel’s signing secret (whsec_...), whole',
      );
    },
    async onEnd() {
      const { accounts, rows } = await folder.deleteStopped();
      if (accounts > 0)
        note(`${count(accounts, 'account')} no longer shared: ${count(rows, 'row')} deleted.`);
    },
  });
  endTurn();
  note(`Nothing is left to collect: the tables in ${options.into} are up to date.`);
}
