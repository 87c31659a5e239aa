import type { Document } from 'mongodb';
import { isReset, unless } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { sharedHalves } from './shared-halves';

const dying = (): never => {
  throw new Error('the process died');
};

const without =
  (method: string, condition: string) =>
  (call: Call): Promise<unknown> => {
    const [filter, ...rest] = call.args as [Document];
    if (call.method !== method || !filter || !(condition in filter)) return call.run();
    const { [condition]: _, ...left } = filter;
    return call.run([left, ...rest]);
  };

/** An older hand takes away what a newer one has lined up. */
const unguarded = without('deleteMany', 'generation');

const isBump = ({ args }: Call) => 'shares_version' in (args[1]?.['$inc'] ?? {});
const isSettling = ({ collection, args }: Call) =>
  collection === 'subscriptions' && args[1]?.['$set']?.catch_up === 'written';

/** Stops before the first call of a kind, or after it. */
function haltAt(kind: (call: Call) => boolean, when: 'before' | 'after') {
  const halt = stopHere();
  let stopped = false;
  const around = async (call: Call) => {
    if (stopped || !kind(call)) return call.run();
    stopped = true;
    if (when === 'before') await halt.here();
    const answer = await call.run();
    if (when === 'after') await halt.here();
    return answer;
  };
  return { ...halt, around };
}

sharedHalves(
  'a grant overtaken by a revoke and another grant leaves the newer catch-up as it is',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    const halt = haltAt(({ method }) => method === 'aggregate', 'before');
    const guarded = unless(rule, scene.store, unguarded);
    const overtaken = scene.grant('1001', rewire(guarded, halt.around));
    await halt.reached; // its ceiling is read: 1
    await scene.revoke('1001');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await worker.run();
    await scene.grant('1001');
    halt.goOn();
    await overtaken;
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-2'] },
);

sharedHalves(
  'a grant overtaken by another that dies does not call the other one’s catch-up written',
  async (scene, rule) => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    const halt = haltAt(isSettling, 'before');
    const settling = unless(rule, scene.store, without('updateMany', 'version'));
    const overtaken = scene.grant('1001', rewire(settling, halt.around));
    await halt.reached;
    await scene.revoke('1001');
    const died = rewire(scene.store, (call) => (isBump(call) ? dying() : call.run()));
    await expect(scene.grant('1001', died)).rejects.toThrow('died');
    halt.goOn();
    await overtaken;
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-1'] },
);

sharedHalves(
  'a reset cuts no catch-up of a grant that came after it had moved the channel’s own marker',
  async (scene, rule) => {
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'] });
    const worker = scene.worker();
    await worker.run();
    const halt = haltAt(isReset, 'after');
    const cutting = unless(rule, scene.store, without('updateMany', 'generation'));
    const reset = scene.resetTo('T-1', rewire(cutting, halt.around));
    await halt.reached;
    await worker.run(); // passes over T-2 again
    await scene.grant('1001');
    halt.goOn();
    await reset;
    await worker.run();
    return scene.missing('1001');
  },
  { pageSize: 10, wrong: ['T-2'] },
);

sharedHalves(
  'a revoke that finds the account revoked lets every attempt know all the same: who did it may not have',
  async (scene, rule) => {
    await scene.grant('1001');
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'] });
    const worker = scene.worker();
    const [input] = await worker.plan();
    await worker.deliver(input!, 1);
    const died = rewire(scene.store, (call) => (isBump(call) ? dying() : call.run()));
    await expect(scene.revoke('1001', died)).rejects.toThrow('died');
    const repeated = (call: Call) => (isBump(call) ? Promise.resolve(null) : call.run());
    expect(await scene.revoke('1001', unless(rule, scene.store, repeated))).toBe(0);
    const since = scene.customer.pages.length;
    await worker.deliver(input!);
    return scene.posted(since);
  },
  { pageSize: 1, wrong: ['T-2'] },
);
