import { Client, Connection } from '@temporalio/client';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { Part } from '../../tools/local/part';
import { channelWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { addFedCustomer, type Scene, type Silence } from './scene';

const DELIVERED_MS = 600_000;
const NOTHING = Buffer.alloc(0);
// Of 220 pages.
const KILL_AFTER = { pages: 20, orUpTo: 160 };
// So that a part of the delivery takes longer than the heartbeat timeout.
const SLOW_MS = 200;

/** Kills the worker that delivers the backlog to a new customer, and starts it again when all is delivered. */
export async function killDelivering(scene: Scene, round: number): Promise<void> {
  const newcomer = await addNewcomer(scene, `newcomer-${round}`);
  const killAt = KILL_AFTER.pages + Math.random() * (KILL_AFTER.orUpTo - KILL_AFTER.pages);
  const worker = await withTemporal(scene, async (client) => {
    await eventually(() => {
      if (newcomer.customer.pages.length < killAt) throw new Error('the delivery is at its beginning');
    }, DELIVERED_MS);
    return eventually(() => findDelivering(scene, client, newcomer.slug));
  });
  const killedAt = Date.now();
  await worker.kill();
  scene.tally.killed++;
  await newcomer.untilDelivered();
  scene.tally.silences.push(longestSilence(newcomer.customer, killedAt));
  await worker.start();
  scene.tally.added++;
}

/** Delivers the backlog to a new customer, who takes its time, beside a busy loop for each of two cores. */
export async function deliverBesideLoops(scene: Scene, round: number): Promise<void> {
  const loops = [startLoop(), startLoop()];
  try {
    const newcomer = await addNewcomer(scene, `newcomer-${round}`, () => Math.random() * SLOW_MS);
    await newcomer.untilDelivered();
    await withTemporal(scene, async (client) => {
      scene.tally.retried.push(...(await listRetried(scene, client, newcomer.slug)));
    });
  } finally {
    loops.forEach((loop) => loop.kill('SIGKILL'));
  }
}

interface Newcomer {
  slug: string;
  customer: FakeCustomer;
  untilDelivered(): Promise<void>;
}

/** A new channel begins with all that is stored. Its customer keeps only what is looked at in the end. */
async function addNewcomer(scene: Scene, slug: string, delayMs = () => 0): Promise<Newcomer> {
  const customer = await addFedCustomer(scene, { slug, page_size: 1_000, cadence_ms: 1_000 });
  const held = new Set<string>();
  customer.script = async (page) => {
    page.body = NOTHING;
    page.records = page.records.map(({ id, remote_id, updated_at, note }) => {
      if (page.entityType === 'tickets') held.add(id);
      return { id, remote_id, updated_at, note };
    });
    await setTimeout(delayMs());
    return 200;
  };
  scene.customers.push(customer);
  return {
    slug,
    customer,
    untilDelivered: () =>
      eventually(() => {
        if (held.size < scene.backlog) throw new Error(`${held.size} of ${scene.backlog} are delivered`);
      }, DELIVERED_MS),
  };
}

/** The worker that runs `deliverPages` for the channel's tickets, by what Temporal says. */
async function findDelivering(scene: Scene, client: Client, slug: string): Promise<Part> {
  const delivery = await scene.store.db
    .collection<{ _id: string }>('deliveries')
    .findOne({ channel: slug, entity_type: 'tickets', status: 'running' });
  if (!delivery) throw new Error(`nothing is delivered to ${slug}`);
  const { raw } = await client.workflow.getHandle(delivery._id).describe();
  const [identity = ''] = (raw.pendingActivities ?? []).map(({ lastWorkerIdentity }) => lastWorkerIdentity);
  const worker = scene.workers.find(({ pid }) => identity?.startsWith(`${pid}@`));
  if (!worker) throw new Error(`no worker delivers to ${slug}`);
  return worker;
}

/** The longest time after the kill between two pages of one delivery. The next delivery is planned as without a kill. */
function longestSilence({ pages }: FakeCustomer, killedAt: number): Silence {
  const tickets = pages.filter(({ entityType }) => entityType === 'tickets');
  let longest = { ms: 0, endsAfterKillMs: 0 };
  for (const [index, { at, headers }] of tickets.entries()) {
    const before = tickets[index - 1];
    if (!before || at < killedAt || before.headers['x-delivery-id'] !== headers['x-delivery-id']) continue;
    if (at - before.at > longest.ms) longest = { ms: at - before.at, endsAfterKillMs: at - killedAt };
  }
  return longest;
}

/** Why activities of a channel's deliveries were tried again. */
async function listRetried(scene: Scene, client: Client, slug: string): Promise<string[]> {
  const deliveries = await scene.store.db
    .collection<{ _id: string }>('deliveries')
    .find({ channel: slug })
    .toArray();
  const retried: string[] = [];
  for (const id of [channelWorkflowId(slug), ...deliveries.map(({ _id }) => _id)]) {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
      if (started && started.attempt! > 1) retried.push(`${id}: ${started.lastFailure?.message}`);
    }
  }
  return retried;
}

async function withTemporal<T>({ parts }: Scene, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: parts.temporalAddress });
  try {
    return await work(new Client({ connection, namespace: 'gdx-faults' }));
  } finally {
    await connection.close();
  }
}

const startLoop = (): ChildProcess =>
  spawn(process.execPath, ['-e', `const end = Date.now() + ${DELIVERED_MS}; while (Date.now() < end);`]);
