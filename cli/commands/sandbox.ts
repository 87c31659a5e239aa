import { InvalidArgumentError, Option, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { testCompanyOf } from '../../domain/company-id';
import type { Integration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import { CliError } from '../cli-error';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { parseTime } from '../parse-options';
import { recordChange } from '../record-change';
import type { Trickled } from '../sandbox/trickle';

interface Options {
  url?: string;
  records: number;
  every: number;
  for: number;
  reason?: string;
  json?: true;
}

export function sandboxCommand(program: Command, connections: Connections): void {
  program
    .command('sandbox')
    .description('push a test company’s harvest bit by bit, to build a receiver with (from a checkout)')
    .argument('<channel>', 'its slug; the channel must carry the test company alone')
    .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
    .addOption(new Option('--records <count>', 'new records of each push').argParser(parseCount).default(20))
    .addOption(new Option('--every <time>', 'how often it pushes').argParser(parseTime).default(5_000, '5s'))
    .addOption(new Option('--for <time>', 'how long').argParser(parseTime).default(10 * 60_000, '10m'))
    .option('--json', 'one JSON document on stdout, at the end')
    .action(async (slug: string, options: Options) => {
      const { loadSample } = await import('../sandbox/harvest.js');
      const sample = await loadSample();
      const store = await connections.preparedStore();
      const company = await requireSandbox(store, slug);
      const change = { action: 'sandbox', channel: slug, about: company.id, before: {} } as const;
      const done = await recordChange(
        connections,
        { ...change, reason: options.reason },
        () => run(sample, store, slug, options),
        ({ records, pushes }) => `Pushed ${records} records in ${pushes} pushes.`,
      );
      const answer = { company: company.id, name: company.name, ...done };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  /** @returns the test company of the channel */
  async function requireSandbox(store: Store, slug: string): Promise<Integration['company']> {
    const { findChannel } = await import('../../store/channels/channels.js');
    const { requireApart } = await import('../sandbox/keep-apart.js');
    const company = testCompanyOf(slug);
    const channel = await findChannel(store, slug);
    if (!channel)
      throw new CliError(
        `there is no channel ${slug}`,
        `\`gdx channel add ${slug} --name ${slug} --delivery pull --company ${company.id}\` makes it one for tests`,
      );
    await requireApart(store, channel, company.id);
    if (channel.state === 'paused') note(`${slug} is paused: what is pushed waits until it is resumed.`);
    if (channel.scope === 'subscribed') note(`${slug} carries only what farmers share with it.`);
    return company;
  }

  async function run(
    sample: Awaited<ReturnType<(typeof import('../sandbox/harvest.js'))['loadSample']>>,
    store: Store,
    slug: string,
    { url: given, records, every: everyMs, for: forMs }: Options,
  ): Promise<Trickled> {
    const { createHarvest } = await import('../sandbox/harvest.js');
    const { trickle } = await import('../sandbox/trickle.js');
    const { createProgress } = await import('../push/progress.js');
    const { createPushClient } = await import('../push/push-client.js');
    const { readTarget } = await import('../service/read-target.js');
    const { revokeToken } = await import('../../store/callers/integrations.js');
    const { stopWatching } = await import('../../store/push/push-activity.js');
    const { id, token: own } = await newTokenOf(store, slug);
    const progress = createProgress();
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    try {
      const settings = { ...(await connections.serviceSettings()), token: own };
      const { url, token } = await readTarget(settings, 'erp', given === undefined ? {} : { url: given });
      const harvest = createHarvest(sample, await storedIds(store, slug), `${slug}/${Date.now()}`);
      note(`Pushing ${records} records every ${everyMs / 1_000} s to ${url}. Ctrl-C ends it at any time.`);
      const onWait = (why: string, waitMs: number) => {
        progress.end();
        note(`${why}: trying again in ${Math.ceil(waitMs / 1_000)} s`);
      };
      const client = createPushClient({ url, token, retryForMs: forMs, onWait });
      const onPush = ({ left }: Trickled) => progress.pushing(slug, harvest.total - left, harvest.total);
      return await trickle({ client, harvest, records, everyMs, forMs, signal: stopped.signal, onPush });
    } finally {
      progress.end();
      process.off('SIGINT', stop).off('SIGTERM', stop);
      // Of another `gdx sandbox` that has taken over meanwhile, nothing ends.
      if (await isNewest(store, id, own)) {
        await revokeToken(store, id, 'all');
        await stopWatching(store, id);
      }
    }
  }
}

const NAME = 'sandbox';

/** Of the integration that pushes for the test company, which is made by the first call. It is shown to nobody. */
async function newTokenOf(store: Store, slug: string): Promise<{ id: string; token: string }> {
  const { addIntegration, listIntegrations, rotateToken } =
    await import('../../store/callers/integrations.js');
  const company = testCompanyOf(slug);
  const known = (await listIntegrations(store)).find((one) => one.company.id === company.id);
  const rotated = known && (await rotateToken(store, known._id, 0));
  if (rotated) return { id: known._id, token: rotated.token };
  const { integration, token } = await addIntegration(store, { name: NAME, company });
  return { id: integration._id, token };
}

async function isNewest(store: Store, id: string, token: string): Promise<boolean> {
  const { findIntegrationByToken } = await import('../../store/callers/integrations.js');
  return (await findIntegrationByToken(store, token))?._id === id;
}

/** The ids that the company's ERP has pushed. */
async function storedIds(store: Store, slug: string): Promise<Record<EntityType, Set<string>>> {
  const { remoteIdsOfCompany } = await import('../../store/records/records.js');
  const { id } = testCompanyOf(slug);
  const lists = ENTITY_TYPES.map(async (type) => [type, await remoteIdsOfCompany(store, type, id)]);
  return Object.fromEntries(await Promise.all(lists)) as Record<EntityType, Set<string>>;
}

function parseCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 1_000) throw new InvalidArgumentError('Use a number from 1 to 1000.');
  return count;
}
