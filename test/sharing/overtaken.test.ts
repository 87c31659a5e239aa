import type { Document } from 'mongodb';
import { isReset, unless } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { stopAt } from './share-calls';
import { sharedHalves } from './shared-halves';

const without =
  (method: string, condition: string) =>
  (call: Call): Promise<unknown> => {
    const [filter, ...rest] = call.args as [Document];
    if (call.method !== method || !filter || !(condition in filter)) return call.run();
    const { [condition]: _, ...left } = filter;
    return call.run([left, ...rest]);
  };

sharedHalves(
  'a reset cuts no catch-up that was begun after it had moved the channel’s own marker',
  async (scene, rule) => {
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    const moved = stopHere();
    const cutting = unless(rule, scene.store, without('updateMany', 'begun'));
    const reset = scene.resetTo('T-1', rewire(cutting, stopAt(isReset, moved)));
    await moved.reached;
    await worker.run(); // passes over T-2 again
    await scene.grant('1001');
    await worker.plan();
    moved.goOn();
    await reset;
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-2'] },
);

sharedHalves(
  'nor one whose grant is older than the reset, and whose account a plan has passed over since',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'] });
    await scene.grant('1002');
    await scene.worker().run();
    const [moved, due] = [stopHere(), stopHere()];
    const isDueRead = ({ collection, method, args }: Call) =>
      collection === 'subscriptions' && method === 'find' && args[0]?.['to_begin'] === 'tickets';
    const late = scene.worker(rewire(scene.store, stopAt(isDueRead, due)), 'late').run();
    await due.reached; // nothing is due
    await scene.grant('1001');
    const cutting = unless(rule, scene.store, without('updateMany', 'begun'));
    const reset = scene.resetTo('T-1', rewire(cutting, stopAt(isReset, moved)));
    await moved.reached;
    due.goOn();
    await late; // passes over T-2 again: 1001 is not begun
    await scene.worker(scene.store, 'other').plan();
    moved.goOn();
    await reset;
    await scene.worker().run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-2'] },
);

const asksWhoElseShares = ({ collection, method, args }: Call) =>
  collection === 'subscriptions' && method === 'find' && 'account' in args[0]!;

sharedHalves(
  'a revoke leaves the catch-up of an account that another partner_id shares',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.worker().run();
    await scene.grant('1001');
    await scene.share('1001', 'policy-2');
    await scene.worker().plan();
    const alone = unless(rule, scene.store, (call) =>
      asksWhoElseShares(call) ? Promise.resolve([]) : call.run(),
    );
    await scene.revoke('1001', alone);
    await scene.worker().run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-1'] },
);

sharedHalves(
  'a revoke removes what an attempt at the catch-up would otherwise go on with',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'] });
    await scene.worker().run();
    await scene.grant('1001');
    await scene.worker().run({ pages: 1 });
    const kept = unless(rule, scene.store, (call) =>
      call.collection === 'markers' && call.method === 'deleteMany' ? Promise.resolve() : call.run(),
    );
    await scene.revoke('1001', kept);
    return scene.catchUps();
  },
  { pageSize: 1, wrong: ['42-1001'] },
);
