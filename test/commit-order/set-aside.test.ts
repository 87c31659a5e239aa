import type { Document } from 'mongodb';
import { listSetAside, releaseSetAside, setAside } from '../../store/set-aside';
import { dropStore, openStore } from '../setup/open-store';
import { bothHalves, missing, unless } from './both-halves';
import { type Call, rewire } from './rewire';
import { type Scene, SLUG } from './scene';
import { stopHere } from './stop-here';

const isClear = ({ collection, method }: Call) => collection === 'set_aside' && method === 'deleteMany';

const withoutVersion = (call: Call) => {
  if (!isClear(call)) return call.run();
  const [{ $or, ...filter }] = call.args as [{ $or: { record: string }[] }];
  return call.run([{ ...filter, record: { $in: $or.map(({ record }) => record) } }] as Document[]);
};

const refuses = (scene: Scene, id: string) => {
  scene.customer.script = ({ records }) => (records.some(({ remote_id }) => remote_id === id) ? 422 : 200);
};
const takesAll = (scene: Scene) => {
  scene.customer.script = () => 200;
};

/** T1 is set aside; then `settle` confirms it, but another worker sets its next version aside before it is cleared. */
async function refusedAnew(
  scene: Scene,
  store: Scene['store'],
  settle: (through: Scene['store']) => Promise<void>,
): Promise<string[]> {
  await scene.push('T1', 'T2');
  refuses(scene, 'T1');
  await scene.run();
  const halt = stopHere();
  const slow = rewire(store, async (call) => {
    if (isClear(call)) await halt.here();
    return call.run();
  });
  takesAll(scene);
  const settled = settle(slow);
  await halt.reached;
  refuses(scene, 'T1');
  await scene.push('T1', 'T3');
  await scene.run();
  halt.goOn();
  await settled;
  takesAll(scene);
  await releaseSetAside(scene.store, SLUG, {});
  await scene.run();
  return missing(scene);
}

bothHalves(
  'delivery, "Answers": a confirmed page clears the versions it brought, not a newer one set aside meanwhile',
  (scene, rule) =>
    refusedAnew(scene, unless(rule, scene.store, withoutVersion), async (slow) => {
      await scene.push('T1');
      await scene.run(slow);
    }),
  { pageSize: 2, lost: ['T1'] },
);

bothHalves(
  'delivery, "Answers": so does a released record that was confirmed',
  (scene, rule) =>
    refusedAnew(scene, unless(rule, scene.store, withoutVersion), async (slow) => {
      await releaseSetAside(scene.store, SLUG, {});
      await scene.run(slow);
    }),
  { pageSize: 2, lost: ['T1'] },
);

test('a late refusal of an older version does not take the place of a newer one', async () => {
  const store = await openStore();
  const refusal = (position: number, answer: string) => ({
    channel: SLUG,
    entity_type: 'tickets' as const,
    record: '42-T1',
    position,
    failure: 'refused' as const,
    status: 422,
    answer,
    delivery: 'delivery/acme/tickets/r1',
  });
  try {
    await setAside(store, refusal(7, 'no weight'));
    await setAside(store, refusal(5, 'no name'));
    expect(await listSetAside(store, SLUG)).toMatchObject([{ position: 7, answer: 'no weight' }]);
    await setAside(store, refusal(7, 'still no weight'));
    expect(await listSetAside(store, SLUG)).toMatchObject([{ position: 7, answer: 'still no weight' }]);
  } finally {
    await dropStore(store);
  }
});
