import { msNow } from '../../domain/time/elapsed';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { testCompanyOf } from '../../domain/records/company-id';
import {
  addIntegration,
  integrationTokens,
  type Integration,
  listIntegrations,
} from '../../store/callers/integrations';
import { findChannel } from '../../store/channels/channels';
import { stopWatching } from '../../store/push/push-activity';
import { remoteIdsOfCompany } from '../../store/records/records';
import type { Store } from '../../store/store';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { timeOption, wholeNumber } from '../../client/parse-options';
import { note } from '../../client/print';
import { createProgress } from '../../client/push/progress';
import { createPushClient, type PushClient } from '../../client/push/push-client';
import { bodyOf, createHarvest, type Harvest, loadSample, type Sample } from '../sandbox/harvest';
import { requireApart } from '../sandbox/keep-apart';
import { readTarget } from '../../client/service/read-target';

interface Options {
  url?: string;
  records: number;
  every: number;
  for: number;
}

interface Trickled {
  pushes: number;
  records: number;
  /** New records that the harvest still holds; then only changes come. */
  left: number;
}

export function sandboxCommands(noun: Command, { changes }: Envelope): void {
  changes(
    noun
      .argument('<channel>', 'its slug; the channel must carry the test company alone')
      .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
      .option('--records <count>', 'new records of each push', wholeNumber(1, 1_000), 20)
      .addOption(timeOption('--every <time>', 'how often it pushes', '5s'))
      .addOption(timeOption('--for <time>', 'how long', '10m'))
      .option('--json', 'one JSON document on stdout, at the end'),
    async (call, slug: string, options: Options) => {
      const sample = await loadSample();
      const store = await call.preparedStore();
      const { id, name } = await requireSandbox(store, slug);
      const done = await call.record(
        { channel: slug, about: id, before: {} },
        () => run(call, sample, slug, options),
        ({ records, pushes }) => `Pushed ${records} records in ${pushes} pushes.`,
      );
      return { facts: { company: id, name, ...done } };
    },
  );
}

/** @returns the test company of the channel */
async function requireSandbox(store: Store, slug: string): Promise<Integration['company']> {
  const company = testCompanyOf(slug);
  const channel = await findChannel(store, slug);
  if (!channel)
    throw new CliError(
      `there is no channel ${slug}`,
      `\`gdx channel add ${slug} --name ${slug} --delivery pull --company ${company.id}\` adds one for tests`,
    );
  await requireApart(store, channel, company.id);
  if (channel.state === 'paused') note(`${slug} is paused: what is pushed waits until it is resumed.`);
  if (channel.scope === 'subscribed') note(`${slug} carries only what farmers share with it.`);
  return company;
}

async function run(call: Call, sample: Sample, slug: string, options: Options): Promise<Trickled> {
  const { records, every } = options;
  const store = await call.store();
  const { id, token: own } = await newTokenOf(store, slug);
  const progress = createProgress();
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const settings = { ...(await call.serviceSettings()), token: own };
    const { url, token } = await readTarget(settings, 'erp', options);
    const harvest = createHarvest(sample, await storedIds(store, slug), `${slug}/${msNow()}`);
    note(`Pushing ${records} records every ${every / 1_000} s to ${url}. Ctrl-C ends it at any time.`);
    const client = createPushClient({ url, token, retryForMs: options.for, onWait: progress.waiting });
    const onPush = ({ left }: Trickled) => progress.pushing(slug, harvest.total - left, harvest.total);
    return await trickle(client, harvest, options, stopped.signal, onPush);
  } finally {
    progress.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
    // If another `gdx sandbox` has taken over, its token stays.
    if ((await integrationTokens.find(store, own))?._id === id) {
      await integrationTokens.revoke(store, id, 'all');
      await stopWatching(store, id);
    }
  }
}

/** Pushes the harvest bit by bit until its time has expired. @throws CliError when a push is refused */
async function trickle(
  client: PushClient,
  harvest: Harvest,
  { records, every: everyMs, for: forMs }: Options,
  signal: AbortSignal,
  onPush: (pushed: Trickled) => void,
): Promise<Trickled> {
  const ends = performance.now() + forMs;
  const done: Trickled = { pushes: 0, records: 0, left: harvest.left() };
  const push = async (items: ReturnType<Harvest['next']>) => {
    const answer = await client.push(bodyOf(items), randomUUID(), false);
    if (answer.status !== 204) throw refused(answer.status);
    harvest.pushed(items);
    done.pushes += 1;
    done.records += items.length;
    done.left = harvest.left();
    onPush(done);
  };
  if (harvest.base.length > 0) await push(harvest.base);
  for (;;) {
    await push(harvest.next(records));
    if (signal.aborted || performance.now() + everyMs > ends) return done;
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return done;
  }
}

function refused(status: number): CliError {
  const advice =
    status === 401
      ? 'another `gdx sandbox` for this channel has taken over, or --url is another service than MONGODB_URI'
      : 'check --url: it is the address of the service, without a path';
  return new CliError(`the service refused a push with ${status}`, advice);
}

/**
 * Makes a token of the integration that pushes for the test company. The first call adds the integration.
 * Nobody sees the token.
 */
async function newTokenOf(store: Store, slug: string): Promise<{ id: string; token: string }> {
  const company = testCompanyOf(slug);
  const known = (await listIntegrations(store)).find((one) => one.company.id === company.id);
  const rotated = known && (await integrationTokens.rotate(store, known._id, 0));
  if (rotated) return { id: known._id, token: rotated.token };
  const { integration, token } = await addIntegration(store, { name: 'sandbox', company });
  return { id: integration._id, token };
}

/** The ids that the company's ERP has pushed. */
async function storedIds(store: Store, slug: string): Promise<Record<EntityType, Set<string>>> {
  const { id } = testCompanyOf(slug);
  const lists = ENTITY_TYPES.map(async (type) => [type, await remoteIdsOfCompany(store, type, id)]);
  return Object.fromEntries(await Promise.all(lists)) as Record<EntityType, Set<string>>;
}
