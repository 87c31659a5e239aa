import { beginTypes } from '../../control/begin-channel';
import { howLate } from '../../domain/deliveries/lateness';
import { changesConfirmed } from '../../telemetry/instruments';
import { type Channel, findChannel, pauseChannel, resumeChannel } from '../../store/channels/channels';
import { releaseForResend } from '../../store/deliveries/set-aside';
import { listBacklogs } from '../../store/markers/list-backlogs';
import type { Marker } from '../../store/markers/markers';
import { type Scene, withScene } from '../commit-order/scene';
import { SLUG } from '../setup/stand';
import type { Reply } from '../setup/fake-customer';
import { openSharedScene } from '../sharing/open-shared-scene';

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

/** A scene whose channel was there before all that is pushed. */
const withChannel = (use: (scene: Scene) => Promise<unknown>) =>
  withScene(10, async (scene) => {
    await set(scene, { created_at: new Date(0) });
    await use(scene);
  });

type InStore = Pick<Scene, 'store'>;

const set = ({ store }: InStore, changes: Partial<Channel>) =>
  store.db.collection<Channel>('channels').updateOne({ _id: SLUG }, { $set: changes });

/** Pushes a ticket as of so many hours ago. */
async function pushed(scene: Scene, id: string, hours: number): Promise<void> {
  await scene.push(id);
  await backdate(scene, id, hours);
}

const backdate = ({ store }: InStore, id: string, hours: number) =>
  store.db
    .collection<{ _id: string }>('tickets')
    .updateOne({ _id: `42-${id}` }, { $set: { updated_at: ago(hours) } });

async function figure({ store }: InStore) {
  const channel = (await findChannel(store, SLUG))!;
  const { records, late, seconds, waiting } = howLate(await listBacklogs(store, [channel]), new Date());
  return { records, late, hours: Math.round(seconds / 360) / 10, waiting: waiting.records };
}

test('a change that comes in time and one that is late are counted, in the database and for Prometheus', () =>
  withChannel(async (scene) => {
    await pushed(scene, 'T1', 2);
    await pushed(scene, 'T2', 1);
    await scene.plan();
    expect(await figure(scene)).toMatchObject({ records: 0, waiting: 2 });
    await scene.run();
    expect(await figure(scene)).toEqual({ records: 2, late: 1, hours: 3, waiting: 0 });
    const { values } = await changesConfirmed.get();
    const counted = values.map(({ labels, value }) => [labels.channel, labels.on_time, value]);
    expect(counted).toEqual([
      [SLUG, 'yes', 1],
      [SLUG, 'no', 1],
    ]);
  }));

test('a reset, a resend and the first load of a channel do not spoil the figure; a change behind a reset counts', () =>
  withScene(10, async (scene) => {
    await pushed(scene, 'T0', 9); // before the channel
    await scene.run();
    await set(scene, { created_at: new Date(0) });
    await pushed(scene, 'T1', 0.5);
    await scene.run();
    const before = { records: 1, late: 0, hours: 0.5, waiting: 0 };
    expect(await figure(scene)).toEqual(before);
    await scene.reset();
    await scene.plan();
    expect(await figure(scene)).toEqual(before); // what waits is sent again
    await scene.run();
    await releaseForResend(scene.store, { channel: SLUG, entity_type: 'tickets' }, [
      { id: '42-T0', position: 1 },
    ]);
    await scene.run();
    expect([scene.posted(), await figure(scene)]).toEqual([['T0', 'T1', 'T0', 'T1', 'T0'], before]);
    await scene.reset();
    await pushed(scene, 'T2', 3);
    await scene.run();
    expect(await figure(scene)).toMatchObject({ records: 2, late: 1 });
  }));

test('what a customer that refuses, or asks to wait, has kept waiting is not late', () =>
  withChannel(async (scene) => {
    await pushed(scene, 'T1', 5);
    scene.customer.script = () => 503;
    await scene.run();
    expect(await figure(scene)).toMatchObject({ records: 0, waiting: 0 });
    scene.customer.script = () => 200;
    await scene.run();
    expect(await figure(scene)).toEqual({ records: 1, late: 0, hours: 0, waiting: 0 });
    await scene.store.db
      .collection<Marker>('markers')
      .updateOne({ _id: `${SLUG}/tickets` }, { $set: { held_until: ago(3) } });
    await pushed(scene, 'T2', 5);
    await scene.run();
    expect(await figure(scene)).toMatchObject({ records: 2, late: 1 }); // it has been there for three hours
  }));

test.each<[title: string, now: Partial<Channel>, changes: Parameters<typeof beginTypes>[2]]>([
  [
    'what was stored before a type was added is its first load, which is not late',
    { entity_types: ['accounts'] },
    { entity_types: ['accounts', 'tickets'] },
  ],
  ['what was stored before its pages were posted is not late', { delivery: 'pull' }, { delivery: 'push' }],
])('%s', (_title, before, changes) =>
  withChannel(async (scene) => {
    await pushed(scene, 'T1', 5);
    await scene.plan();
    expect(await figure(scene)).toMatchObject({ waiting: 1 });
    const channel = (await findChannel(scene.store, SLUG))!;
    await beginTypes(scene.store, { ...channel, ...before }, changes);
    await scene.plan();
    expect(await figure(scene)).toMatchObject({ waiting: 0 });
    await scene.run();
    expect(await figure(scene)).toMatchObject({ records: 0, late: 0 });
    await pushed(scene, 'T2', 0);
    await scene.run();
    expect(await figure(scene)).toMatchObject({ records: 1, late: 0 });
  }),
);

test('a paused channel is not late, and what waited is counted since it was resumed', () =>
  withChannel(async (scene) => {
    await pushed(scene, 'T1', 5);
    await scene.plan();
    expect(await figure(scene)).toMatchObject({ waiting: 1 });
    await pauseChannel(scene.store, SLUG, 'their maintenance');
    expect(await figure(scene)).toMatchObject({ waiting: 0 });
    await resumeChannel(scene.store, SLUG);
    expect(await figure(scene)).toMatchObject({ waiting: 0 });
    await scene.run();
    expect(await figure(scene)).toEqual({ records: 1, late: 0, hours: 0, waiting: 0 });
  }));

test.each<[title: string, answer: Reply, late: number]>([
  ['a customer that refuses a catch-up excuses nothing that the own window has kept waiting', 503, 1],
  // Nothing of the type is posted until then.
  [
    'a customer that asks to wait for a catch-up has kept the own window waiting',
    { status: 503, headers: { 'retry-after': '1' } },
    0,
  ],
])('%s', async (_title, answer, late) => {
  const scene = await openSharedScene();
  await set(scene, { created_at: new Date(0) });
  await scene.pushTickets({ T1: ['1001'], T2: ['1002'] });
  await scene.grant('1001');
  await scene.run();
  await scene.grant('1002');
  scene.customer.script = () => answer;
  expect(await scene.run()).toMatchObject([{ end: 'unconfirmed' }]);
  scene.customer.script = () => 200;
  await scene.pushTickets({ T3: ['1001'] });
  await backdate(scene, 'T3', 5);
  await scene.run();
  expect(scene.posted()).toEqual(expect.arrayContaining(['T1', 'T2', 'T3']));
  expect(await figure(scene)).toMatchObject({ records: 2, late }); // T1 was in time
});
