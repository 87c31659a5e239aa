import { type DeliverInput, NOTHING_YET } from '../../../domain/deliveries/delivery';
import { type Channel, findChannel } from '../../../store/channels/channels';
import {
  listReleased,
  listSetAside,
  releaseForResend,
  releaseSetAside,
} from '../../../store/deliveries/set-aside';
import type { Marker } from '../../../store/markers/markers';
import { missing } from '../../commit-order/both-halves';
import { pushTickets, type Scene, withScene } from '../../commit-order/scene';
import { pushRecords } from '../../setup/push-records';
import { SLUG, stand } from '../../setup/stand';
import type { Reply, Script } from '../../setup/fake-customer';
import { slowTest, nightlyTest } from '../../setup/cases';

const EIGHT = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8'];

// On a connection of its own: one that is cut off on a kept connection goes out again at once.
const CONFIRMED = { status: 200, headers: { connection: 'close' } };

/** What a gateway makes of more records than these; fewer are confirmed. */
const cutsOff =
  (most: number, reply: Reply = 'hang-up'): Script =>
  ({ records }) =>
    records.length > most ? reply : CONFIRMED;

/** What was posted in each of so many deliveries, by the numbers of records. */
async function deliveries(
  scene: Scene,
  times: number,
  deliver: () => Promise<unknown> = () => scene.run(),
): Promise<number[][]> {
  const sizes: number[][] = [];
  for (let time = 0; time < times; time++) {
    const before = scene.customer.pages.length;
    await deliver();
    sizes.push(scene.customer.pages.slice(before).map(({ records }) => records.length));
  }
  return sizes;
}

const limitOf = async ({ store }: Scene) => (await findChannel(store, SLUG))!.page_limits?.tickets;

test('a page that is cut off in a third delivery is halved once its first record alone is confirmed, until its parts pass', () =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(2);
    // Its halves are tried as long as they fail: of four the first two are confirmed, and then the others.
    expect(await deliveries(scene, 3)).toEqual([[8], [8], [8, 1, 4, 2, 1, 1]]);
    expect([await limitOf(scene), await scene.position()]).toMatchObject([{ records: 2 }, 5]);
    expect(await deliveries(scene, 1)).toEqual([[2, 1]]);
    expect(await missing(scene)).toEqual([]);
  }));

slowTest(
  'a customer that is merely away gets no smaller pages, but two single records at most each time',
  () =>
    withScene(8, async (scene) => {
      await scene.push(...EIGHT);
      scene.customer.script = () => 'hang-up';
      expect(await deliveries(scene, 6)).toEqual([[8], [8], ...Array<number[]>(4).fill([8, 1, 1])]);
      expect([await limitOf(scene), await scene.position()]).toEqual([undefined, 0]);
      scene.customer.script = () => CONFIRMED;
      expect(await deliveries(scene, 1)).toEqual([[8]]);
    }),
);

test('what is learnt of one entity type leaves the pages of the others as they are', async () => {
  const entity_types = ['accounts' as const, 'tickets' as const];
  const { store, customer, run } = await stand({
    customer: ({ entityType, records }) => (entityType === 'tickets' && records.length > 2 ? 413 : 200),
    channel: { page_size: 8, entity_types },
  });
  await pushTickets(store, EIGHT);
  for (let time = 0; time < 3; time++) await run();
  await pushRecords(store, { accounts: EIGHT.map((id) => ({ id, name: id })) });
  await pushTickets(store, EIGHT);
  await run();
  const sizes = (type: string) => customer.confirmed(type).map(({ records }) => records.length);
  expect([sizes('tickets'), sizes('accounts')]).toEqual([Array(8).fill(2), [8]]);
});

slowTest('one that cannot be reached has cut nothing off', () =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    await scene.customer.stop();
    await deliveries(scene, 4);
    await scene.customer.listen();
    scene.customer.script = cutsOff(2);
    expect(await deliveries(scene, 2)).toEqual([[8], [8]]);
    expect(await limitOf(scene)).toBeUndefined();
  }),
);

slowTest('a page that was confirmed meanwhile is not counted', () =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(2);
    await deliveries(scene, 2);
    scene.customer.script = () => CONFIRMED;
    await deliveries(scene, 1);
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(2);
    expect(await deliveries(scene, 2)).toEqual([[8], [8]]);
  }),
);

/** Two attempts, as in the workflow: the second one is not in the main queue. */
async function twoAttempts(scene: Scene, changes: Partial<DeliverInput> = {}) {
  const [input] = await scene.plan();
  const first = await scene.attempt({ ...input!, ...changes });
  if (first.end === 'unconfirmed')
    await scene.attempt({ ...input!, ...changes, first: false, done: first.totals });
}

slowTest.each([408, 502, 503, 504])('a gateway that ends the request with %i has cut it off', (status) =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(4, status);
    // It has answered, so its deliveries begin in the main queue: no other request is made there.
    expect(await deliveries(scene, 3, () => twoAttempts(scene))).toEqual([
      [8, 8],
      [8, 8],
      [8, 8, 1, 4, 2, 1],
    ]);
    expect(await limitOf(scene)).toMatchObject({ records: 4 });
  }),
);

nightlyTest.each<[name: string, reply: Reply]>([
  ['429', 429],
  ['503 with a Retry-After', { status: 503, headers: { 'retry-after': '1' } }],
])('%s is no page that was cut off', (_name, reply) =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(4, reply);
    expect(await deliveries(scene, 4, () => twoAttempts(scene))).toEqual(Array(4).fill([8, 8]));
    expect(await limitOf(scene)).toBeUndefined();
  }),
);

nightlyTest.each([401, 404])(
  '%i may be of a record: it is searched in the third delivery, not in the main queue',
  (status) =>
    withScene(8, async (scene) => {
      await scene.push(...EIGHT);
      scene.customer.script = cutsOff(4, status);
      expect(await deliveries(scene, 3, () => twoAttempts(scene))).toEqual([[8, 8], [8, 8], [8]]);
      expect(await limitOf(scene)).toBeUndefined();
    }),
);

slowTest('it is tried once a run, and not by a run that has looked for refused records', () =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(2);
    const spent = { ...NOTHING_YET, probes: 1 };
    expect(await deliveries(scene, 4, () => twoAttempts(scene, { spent }))).toEqual(Array(4).fill([8, 8]));
  }),
);

const ageOf = ({ store }: Scene, hours: number) =>
  store.db
    .collection<Channel>('channels')
    .updateOne(
      { _id: SLUG },
      { $set: { 'page_limits.tickets.at': new Date(Date.now() - hours * 3_600_000) } },
    );

slowTest('after six hours twice as many are tried, and taken back at once where they are cut off again', () =>
  withScene(8, async (scene) => {
    await scene.push(...EIGHT);
    scene.customer.script = cutsOff(4);
    await deliveries(scene, 3);
    expect(await missing(scene)).toEqual([]);
    await ageOf(scene, 7);
    await scene.push(...EIGHT);
    expect(await deliveries(scene, 2)).toEqual([[8], [8, 1, 4, 2, 1]]);
    expect(await limitOf(scene)).toMatchObject({ records: 4 });
  }),
);

slowTest('a first record that is refused is compared with the next one, and the rest follows', () =>
  withScene(4, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    scene.customer.script = ({ records }) => {
      if (records.length > 2) return 'hang-up';
      return records.some(({ remote_id }) => remote_id === 'T1') ? 422 : CONFIRMED;
    };
    expect(await deliveries(scene, 3)).toEqual([[4], [4], [4, 1, 1, 1, 2]]);
    expect([await limitOf(scene), await missing(scene)]).toEqual([undefined, ['T1']]);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1', failure: 'refused' }]);
  }),
);

const cutsOffT1: Script = ({ records }) =>
  records.some(({ remote_id }) => remote_id === 'T1') ? 'hang-up' : CONFIRMED;

slowTest(
  'a record that alone is cut off in three deliveries is set aside once another one is confirmed',
  () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2', 'T3');
      scene.customer.script = cutsOffT1;
      await deliveries(scene, 2);
      expect([scene.posted(), await listSetAside(scene.store, SLUG)]).toEqual([['T1', 'T1'], []]);
      await deliveries(scene, 1);
      expect(scene.posted(2)).toEqual(['T1', 'T3', 'T1', 'T2', 'T3']);
      expect(await missing(scene)).toEqual(['T1']);
      expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1', status: 0 }]);
    }),
);

slowTest('it is not where there is no other to compare it with, or that is cut off too', () =>
  withScene(1, async (scene) => {
    await scene.push('T1');
    scene.customer.script = cutsOffT1;
    await deliveries(scene, 2);
    // Pages of another entity type are confirmed in between.
    await scene.store.db
      .collection<Pick<Marker, '_id' | 'channel' | 'delivered_at'>>('markers')
      .updateOne(
        { _id: `${SLUG}/accounts` },
        { $set: { channel: SLUG, delivered_at: new Date() } },
        { upsert: true },
      );
    await deliveries(scene, 2);
    await scene.push('T2');
    scene.customer.script = () => 'hang-up';
    await deliveries(scene, 2);
    expect([await listSetAside(scene.store, SLUG), await scene.position()]).toEqual([[], 0]);
  }),
);

slowTest('a page of records that were asked for again goes smaller in the same way', () =>
  withScene(8, async (scene) => {
    scene.customer.script = () => CONFIRMED;
    await scene.push(...EIGHT);
    await scene.run();
    const ids = EIGHT.map((id, index) => ({ id: `42-${id}`, position: index + 1 }));
    await releaseForResend(scene.store, { channel: SLUG, entity_type: 'tickets' }, ids);
    scene.customer.script = () => 'hang-up';
    expect(await deliveries(scene, 4)).toEqual([[8], [8], [8, 1, 1], [8, 1, 1]]);
    expect(await limitOf(scene)).toBeUndefined();
    scene.customer.script = cutsOff(4);
    expect(await deliveries(scene, 1)).toEqual([[8, 1, 4, 2, 1]]);
    expect([await limitOf(scene), await listReleased(scene.store, SLUG)]).toMatchObject([{ records: 4 }, []]);
  }),
);

slowTest('a released record that alone is cut off is set aside again once other pages were confirmed', () =>
  withScene(8, async (scene) => {
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T1') ? 422 : CONFIRMED;
    await scene.push('T1', 'T2');
    await scene.run();
    await releaseSetAside(scene.store, SLUG, {});
    scene.customer.script = cutsOffT1;
    await deliveries(scene, 2);
    expect(await listReleased(scene.store, SLUG)).toHaveLength(1);
    const since = scene.customer.pages.length;
    await deliveries(scene, 1);
    expect(scene.posted(since)).toEqual(['T1', 'T2', 'T1']);
    expect([await missing(scene), await listReleased(scene.store, SLUG)]).toEqual([['T1'], []]);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1', status: 0 }]);
  }),
);
