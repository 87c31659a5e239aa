import type { Document } from 'mongodb';
import { bothHalves, isMove, isReset, missing, unless } from './both-halves';
import { type Call, rewire } from './rewire';
import { type Scene, withScene } from './scene';
import { stopHere } from './stop-here';

// The rules: docs/architecture.md#commit-order.

const withoutEpoch = (call: Call) => {
  if (!isMove(call)) return call.run();
  const [{ epoch: _, ...filter }, update] = call.args as [Document, Document];
  return call.run([filter, update]);
};

const withoutNewEpoch = (call: Call) => {
  if (!isReset(call)) return call.run();
  const [filter, { $inc, ...update }] = call.args as [Document, Document];
  return call.run([filter, { ...update, $inc: { generation: $inc['generation'] } }]);
};

const withoutGeneration = (call: Call) => {
  if (call.collection !== 'markers' || call.method !== 'findOneAndUpdate') return call.run();
  const [{ generation: _, ...filter }, ...rest] = call.args as [Document, Document];
  return call.run([filter, ...rest]);
};

/** Stops before the marker's `nth` move. */
function stopBeforeMove(scene: Scene, through = scene.store, nth = 1) {
  const halt = stopHere();
  let moves = 0;
  const store = rewire(through, async (call) => {
    if (isMove(call) && ++moves === nth) await halt.here();
    return call.run();
  });
  return { ...halt, store };
}

/** T1 to T3 are confirmed; T4 and T5 are on their way, page by page, when a reset to the beginning comes. */
async function resetBetweenPages(scene: Scene, { resetting = scene.store, delivering = scene.store }) {
  await scene.push('T1', 'T2', 'T3');
  await scene.run();
  await scene.push('T4', 'T5');
  let since = 0;
  scene.customer.script = async ({ records }) => {
    if (records[0]?.remote_id !== 'T4' || since > 0) return 200;
    since = scene.customer.pages.length;
    await scene.reset(resetting);
    return 200;
  };
  await scene.run(delivering);
  await scene.run();
  return missing(scene, since);
}

bothHalves(
  'rule 3: a reset between two pages takes a new epoch',
  (scene, rule) => resetBetweenPages(scene, { resetting: unless(rule, scene.store, withoutNewEpoch) }),
  { pageSize: 1, lost: ['T1', 'T2', 'T3', 'T4'] },
);

bothHalves(
  'rule 3: a page moves the marker only in its own epoch, whatever reset comes between',
  (scene, rule) => resetBetweenPages(scene, { delivering: unless(rule, scene.store, withoutEpoch) }),
  { pageSize: 1, lost: ['T1', 'T2', 'T3', 'T4'] },
);

bothHalves(
  'rule 3: an attempt from before a reset cannot move the marker of the attempt after it',
  async (scene, rule) => {
    await scene.push('T1', 'T2', 'T3');
    const frozen = stopBeforeMove(scene, unless(rule, scene.store, withoutEpoch), 3);
    const old = scene.run(frozen.store);
    await frozen.reached; // T3 is confirmed, the marker is at T2
    const since = scene.customer.pages.length;
    await scene.reset();
    const [input] = await scene.plan();
    await scene.attempt(input!, scene.store, 1); // T1, then its worker stops
    frozen.goOn();
    await old;
    await scene.run();
    return missing(scene, since);
  },
  { pageSize: 1, lost: ['T2', 'T3'] },
);

bothHalves(
  'rule 3: a retry beside the attempt it replaces repeats one page at most',
  async (scene, rule) => {
    await scene.push('T1', 'T2', 'T3');
    const [input] = await scene.plan();
    const frozen = stopBeforeMove(scene, unless(rule, scene.store, withoutEpoch));
    const old = scene.attempt(input!, frozen.store);
    await frozen.reached; // T1 is confirmed, and the worker hangs past its heartbeat
    await scene.attempt(input!);
    expect(await scene.position()).toBe(3);
    frozen.goOn();
    await old;
    await scene.run();
    const posted = scene.posted();
    return posted.filter((id, index) => id !== 'T1' && posted.indexOf(id) < index);
  },
  { pageSize: 1, lost: ['T2', 'T3'] },
);

bothHalves(
  'rule 3: a delivery planned before a reset does not begin after it, or its pages keep their old ids',
  async (scene, rule) => {
    await scene.push('T1', 'T2', 'T3');
    const [input] = await scene.plan();
    await scene.attempt(input!);
    await scene.push('T4');
    await scene.run();
    const seen = new Set(scene.customer.pages.map(({ headers }) => headers['webhook-id']));
    await scene.reset();
    await scene.attempt(input!, unless(rule, scene.store, withoutGeneration)); // an activity retried very late
    await scene.run();
    // A receiver that knows a page by its id drops what it has applied before.
    const fresh = scene.customer.pages.filter(({ headers }) => !seen.has(headers['webhook-id']));
    const given = new Set(fresh.flatMap((page) => page.records.map(({ remote_id }) => remote_id)));
    return ['T1', 'T2', 'T3', 'T4'].filter((id) => !given.has(id));
  },
  { pageSize: 10, lost: ['T1', 'T2', 'T3'] },
);

test('rule 3: a worker killed between the answer and the move repeats that page, and loses nothing', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    const killed = rewire(scene.store, (call) => {
      if (isMove(call)) throw new Error('killed');
      return call.run();
    });
    await expect(scene.run(killed)).rejects.toThrow('killed');
    await scene.run();
    expect(scene.posted()).toEqual(['T1', 'T1', 'T2']);
  }));

test('rule 3: a retry goes on where the marker says, with the next page', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    const [input] = await scene.plan();
    expect(await scene.attempt(input!, scene.store, 2)).toMatchObject({ end: 'more' });
    expect(await scene.attempt(input!)).toMatchObject({ end: 'delivered', totals: { pages: 3, records: 3 } });
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3']);
    expect(scene.customer.pages.map(({ meta }) => meta.current_page)).toEqual([1, 2, 3]);
  }));
