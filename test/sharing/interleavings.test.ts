import type { Document } from 'mongodb';
import { isMove, isPageRead, type Rule, unless } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { accountId } from './open-shared-scene';
import { inserting, isFirstGrant, isLiningUp } from './share-calls';
import { type SharedHalves, sharedHalves } from './shared-halves';

const withoutBump = (call: Call) => {
  const [filter, update, ...rest] = call.args as [Document, Document];
  if (!('shares_version' in (update?.['$inc'] ?? {}))) return call.run();
  return call.run([filter, { $inc: { shares_version: 0 } }, ...rest]);
};

const doubled = (posted: string[]) => posted.filter((id, index) => posted.indexOf(id) < index);

sharedHalves(
  'commit-order, catch-up: the ceiling is read after the subscription is visible',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    let ceilings: unknown;
    const granting = rewire(scene.store, async (call) => {
      if (call.collection === 'counters' && rule === 'left out') return ceilings;
      if (!isFirstGrant(call)) return call.run();
      ceilings = await scene.store.db.collection('counters').find().toArray();
      // Not shared yet: the channel's own marker passes over it.
      await scene.pushTickets({ 'T-2': ['1001'] });
      await worker.run();
      return call.run();
    });
    await scene.grant('1001', granting);
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-2'] },
);

sharedHalves(
  'commit-order, sharing: a grant moves shares_version, or a worker goes by what it has read before',
  async (scene, rule) => {
    const worker = scene.worker();
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
    await worker.run();
    await scene.grant('1001', unless(rule, scene.store, withoutBump));
    await worker.run();
    await scene.pushTickets({ 'T-3': ['1001'] });
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-1', 'T-3'] },
);

/** 1001 is revoked when a page of it has been read; 1002 stays shared. */
async function revokedBeforePost(scene: SharedHalves, rule: Rule): Promise<string[]> {
  let channel: unknown;
  const lookingOnce = unless(rule, scene.store, async (call) => {
    if (call.collection !== 'channels' || call.method !== 'findOne') return call.run();
    return (channel ??= await call.run());
  });
  const reading = rewire(lookingOnce, async (call) => {
    const page = (await call.run()) as { _id: string }[];
    if (isPageRead(call) && page.some(({ _id }) => _id === accountId('T-2'))) await scene.revoke('1001');
    return page;
  });
  await scene.worker(reading).run();
  return scene.posted().filter((id) => id !== 'T-1');
}

sharedHalves(
  'commit-order, sharing: a page that is read when the revoke comes is looked through again',
  async (scene, rule) => {
    await scene.grant('1001');
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1001'] });
    return revokedBeforePost(scene, rule);
  },
  { pageSize: 10, wrong: ['T-2', 'T-3'] },
);

sharedHalves(
  'commit-order, sharing: so is a page of a catch-up',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-2': ['1001'], 'T-3': ['1001'] });
    await scene.worker().run();
    await scene.grant('1001');
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1002'] }); // comes first, and the worker keeps what is shared
    return revokedBeforePost(scene, rule);
  },
  { pageSize: 10, wrong: ['T-2', 'T-3'] },
);

sharedHalves(
  'commit-order, catch-up: a reset cuts the catch-ups short, or what lies above goes out twice',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'] });
    await scene.pushTickets({ 'T-3': ['1001'], 'T-4': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    await scene.grant('1001');
    await worker.run({ pages: 1 });
    const since = scene.customer.pages.length;
    const uncut = ({ collection, method, run }: Call) =>
      collection === 'markers' && method === 'updateMany' ? Promise.resolve() : run();
    await scene.resetTo('T-3', unless(rule, scene.store, uncut));
    await worker.run();
    expect(await scene.missing('1001')).toEqual([]); // lost is nothing, either way
    expect(new Set(scene.posted(since))).toEqual(new Set(['T-2', 'T-3', 'T-4']));
    return doubled(scene.posted(since));
  },
  { pageSize: 1, wrong: ['T-3', 'T-4'] },
);

sharedHalves(
  'commit-order, catch-up: an attempt at a catch-up that was removed cannot move the one that took its place',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1001'] });
    await scene.worker().run();
    const reused = unless(rule, scene.store, (call) => {
      if (!isLiningUp(call)) return call.run();
      return inserting(call, (catchUp) => ({ ...catchUp, epoch: 0 }));
    });
    await scene.grant('1001', reused);
    const halt = stopHere();
    let moves = 0;
    const slow = rewire(scene.store, async (call) => {
      if (isMove(call) && call.args[0]?.['_id'].endsWith('/42-1001') && ++moves === 3) await halt.here();
      return call.run();
    });
    const old = scene.worker(slow, 'old').run();
    await halt.reached; // T-3 is confirmed, the catch-up is at T-2
    await scene.revoke('1001');
    const since = scene.customer.pages.length;
    await scene.grant('1001', reused);
    await scene.worker().run({ pages: 1 }); // T-1, then its worker stops
    halt.goOn();
    await old;
    await scene.worker().run();
    return scene.missing('1001', since);
  },
  { pageSize: 1, wrong: ['T-2', 'T-3'] },
);
