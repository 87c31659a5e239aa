import { LIMITS } from '../../activities/customer/create-agent';
import { HostTurns, PAGES_TO_A_HOST } from '../../activities/customer/host-turns';
import { listChannels } from '../../store/channels';
import type { Delivery } from '../../store/deliveries';
import { eventually } from '../setup/eventually';
import { TestFeed } from '../workflows/test-feed';

const HOST = 'acme.example';
const taken = (turns: HostTurns, many = PAGES_TO_A_HOST) =>
  Promise.all(Array.from({ length: many }, () => turns.take(HOST)));

test('one host has so many turns at once; another has its own', async () => {
  const turns = new HostTurns(20);
  const leave = await taken(turns);
  expect(await turns.take(HOST)).toBeUndefined();
  expect(await turns.take('bank.example')).toBeDefined();
  leave[0]!();
  expect(await turns.take(HOST)).toBeDefined();
});

test('who waits comes next, in order', async () => {
  const turns = new HostTurns(60_000);
  const leave = await taken(turns);
  const order: number[] = [];
  const waiting = [1, 2].map(async (number) => {
    await turns.take(HOST);
    order.push(number);
  });
  leave.slice(0, 2).forEach((one) => one!());
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

test('all given back, they are there again', async () => {
  const turns = new HostTurns(20);
  for (let round = 0; round < 3; round++) {
    const leave = await taken(turns);
    expect(leave).not.toContain(undefined);
    leave.forEach((one) => one!());
  }
});

test('channels of one host that hangs hold no more places than that, and one of another host is served', async () => {
  const feed = await TestFeed.start();
  const only = { entity_types: ['accounts' as const] };
  const hanging = await feed.addChannel('hanging', only, () => new Promise<never>(() => {}));
  for (let more = 1; more < PAGES_TO_A_HOST + 3; more++) {
    await feed.addChannel(`hanging-${more}`, only);
    await feed.changeChannel(`hanging-${more}`, { base_url: hanging.baseUrl });
  }
  for (const slug of (await listChannels(feed.store)).map(({ _id }) => _id)) {
    await feed.push(slug, ['accounts'], 1);
    await feed.deliverNow(slug);
  }
  await eventually(() => expect(hanging.pages.length).toBeGreaterThanOrEqual(PAGES_TO_A_HOST));
  const other = await feed.addChannel('other', only);
  await feed.push('other', ['accounts'], 1);
  await feed.deliverNow('other');
  await feed.closed('other', 'accounts', 1);
  expect(feed.held(other, 'accounts')).toEqual([1]);
  // Those that got no turn say so, and try again later.
  await eventually(async () => {
    const reports = await feed.store.db.collection<Delivery>('deliveries').find({}).toArray();
    const reasons = reports.flatMap(({ failed_attempts }) => failed_attempts.map(({ reason }) => reason));
    expect(reasons).toContainEqual(expect.stringContaining('under way to its host'));
  });
  const first = hanging.pages[0]!.at;
  const atOnce = hanging.pages.filter(({ at }) => at - first < LIMITS.requestMs - 1_000);
  expect(atOnce).toHaveLength(PAGES_TO_A_HOST);
  await feed.stop();
});
