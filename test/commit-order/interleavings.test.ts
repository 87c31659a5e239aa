import { setTimeout } from 'node:timers/promises';
import { readCeiling } from '../../store/push/counters';
import { bothHalves, isMove, isPageRead, missing, pageOf, unless } from './both-halves';
import { rewire } from './rewire';
import { pushTickets } from './scene';
import { stopHere } from './stop-here';

// The rules: docs/architecture.md#commit-order.

// Pushes that overlap come from several processes: the line that one process keeps must not order them here.
jest.mock('../../store/push/push-locks', () => ({ acquirePushLocks: async () => () => {} }));

bothHalves(
  'rule 1: a slow push takes its positions first in its transaction',
  async (scene, rule) => {
    const halt = stopHere();
    const counting = unless(rule, scene.store, ({ collection, args, run }) => {
      if (collection !== 'counters') return run();
      const outside = args.map(({ session: _, ...rest }) => rest);
      return run(outside);
    });
    const slow = rewire(counting, async ({ collection, method, run }) => {
      if (collection === 'push_receipts' && method === 'insertMany') {
        await halt.here();
      }
      return run();
    });
    const first = pushTickets(slow, ['T1']);
    await halt.reached; // its position is taken, its commit is still to come
    // With the rule the second has to wait for the first, and the run sees neither. Without it the run passes the first.
    let second = rule === 'kept' && pushTickets(counting, ['T2']);
    await Promise.race([second, setTimeout(700)]);
    await scene.run();
    second ||= pushTickets(counting, ['T2']);
    halt.goOn();
    await Promise.all([first, second]);
    await scene.run();
    return missing(scene);
  },
  { pageSize: 10, lost: ['T1'] },
);

bothHalves(
  'rule 2: a page is read while pushes commit behind and ahead of the reader',
  async (scene, rule) => {
    await scene.push('T1', 'T2', 'T3');
    const unbounded = unless(rule, scene.store, (call) => {
      if (!isPageRead(call)) return call.run();
      const [{ position, ...filter }, options] = call.args as [{ position: { $gt: number } }, object];
      return call.run([{ ...filter, position: { $gt: position.$gt } }, options]);
    });
    let split = false;
    const scanning = rewire(unbounded, async (call) => {
      if (!isPageRead(call) || split) return call.run();
      split = true;
      const [filter, options] = call.args as [{ position: { $gt: number; $lte?: number } }, object];
      const { $gt, $lte = Infinity } = filter.position;
      const range = (from: number, to: number) => [{ ...filter, position: { $gt: from, $lte: to } }, options];
      // The scan has passed position 4, which is still empty, when 4 and 5 commit.
      const behind = await call.run(range($gt, Math.min(4, $lte)));
      await scene.push('T4');
      await scene.push('T5');
      return [...(behind as []), ...((await call.run(range(4, Math.max(4, $lte)))) as [])];
    });
    await scene.run(scanning);
    await scene.run();
    return missing(scene);
  },
  { pageSize: 4, lost: ['T4'] },
);

bothHalves(
  'rule 2: the ceiling is read before the records, not after them',
  async (scene, rule) => {
    await scene.push('T1');
    scene.customer.script = async () => {
      if (scene.customer.pages.length === 1) await scene.push('T2');
      return 200;
    };
    const late = unless(rule, scene.store, async (call) => {
      if (!isMove(call)) return call.run();
      const [filter, update] = call.args as [object, { $set: object }];
      const position = await readCeiling(scene.store, 'tickets');
      return call.run([filter, { $set: { ...update.$set, position } }]);
    });
    await scene.run(late);
    await scene.run();
    return missing(scene);
  },
  { pageSize: 10, lost: ['T2'] },
);

bothHalves(
  'rule 2: the plan passes over an empty window only up to the ceiling it read first',
  async (scene, rule) => {
    const late = unless(rule, scene.store, async (call) => {
      if (call.collection !== 'markers' || !('$inc' in (call.args[1] ?? {}))) return call.run();
      const [filter, update] = call.args as [object, { $set: object }];
      const position = await readCeiling(scene.store, 'tickets');
      return call.run([filter, { ...update, $set: { position } }]);
    });
    await scene.push('T1');
    // Only T1 is in the window, and it is written again, above the ceiling, before it is counted.
    const moving = rewire(late, async (call) => {
      if (call.collection === 'tickets' && call.method === 'countDocuments') await scene.push('T1');
      return call.run();
    });
    await scene.plan(moving);
    await scene.run();
    return missing(scene);
  },
  { pageSize: 10, lost: ['T1'] },
);

bothHalves(
  'rule 3: the marker moves after the answer, not before the POST',
  async (scene, rule) => {
    await scene.push('T1', 'T2');
    // twice: a kept connection that closes is tried once more at once
    scene.customer.script = ({ records }) =>
      records[0]?.remote_id === 'T2' && scene.customer.pages.length <= 3 ? 'hang-up' : 200;
    const early = unless(rule, scene.store, async (call) => {
      const page = await call.run();
      const [next] = isPageRead(call) ? pageOf(page) : [];
      if (next) {
        const markers = scene.store.db.collection('markers');
        await markers.updateOne({}, { $set: { position: next.position } });
      }
      return page;
    });
    await scene.run(early); // the customer goes down over the second page
    await scene.run();
    return missing(scene);
  },
  { pageSize: 1, lost: ['T2'] },
);
