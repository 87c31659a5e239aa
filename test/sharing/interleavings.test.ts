import type { Document } from 'mongodb';
import type { Store } from '../../store/store';
import { isMove, isPageRead, pageOf, type Rule, unless } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { accountId } from './open-shared-scene';
import { inserting, isBeginning, isFinish, isLiningUp, stopAt } from './share-calls';
import { type SharedHalves, sharedHalves } from './shared-halves';

describe('interleavings', () => {
  const withoutBump = (call: Call) => {
    const [filter, update, ...rest] = call.args as [Document, Document];
    if (!('shares_version' in (update?.['$inc'] ?? {}))) return call.run();
    return call.run([filter, { $inc: { shares_version: 0 } }, ...rest]);
  };

  /** What the code under test asks of a kind is answered as it would have been when it began. */
  function asAtFirst(
    rule: Rule,
    store: Store,
    kind: (call: Call) => boolean,
    first: (call: Call) => boolean,
  ) {
    let early: unknown;
    return unless(rule, store, async (call) => {
      if (first(call) && early === undefined) early = await selectedNow(store);
      return kind(call) && early !== undefined ? early : call.run();
    });
  }

  const selectedNow = (store: Store) =>
    store.db
      .collection('subscriptions')
      .find({ state: 'granted', to_begin: { $ne: 'tickets' } })
      .toArray();

  const isSelection = ({ collection, method, args }: Call) =>
    collection === 'subscriptions' && method === 'find' && args[0]?.['to_begin']?.$ne === 'tickets';

  /** The plan has begun what was due, and reads the marker next. */
  const isCounting = ({ collection, method, args }: Call) =>
    collection === 'markers' &&
    method === 'find' &&
    args[0]?.['total'] === null &&
    args[0]['entity_type'] === 'tickets';

  const isMarkerRead = ({ collection, method, args }: Call) =>
    collection === 'markers' && method === 'findOne' && args[0]?.['_id'] === 'acme/tickets';
  const isTickets = ({ args }: Call) => args[0]?.['_id'] === 'acme/tickets';

  sharedHalves(
    'commit-order, catch-up: the end is the marker’s position in the transaction, not as it was read before',
    async (scene, rule) => {
      await scene.grant('1002');
      await scene.pushTickets({ 'T-0': ['1002'] });
      await scene.worker().run();
      await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1002'] });
      const read = stopHere();
      const old = scene.worker(rewire(scene.store, stopAt(isPageRead, read)), 'old');
      const [input] = await old.plan();
      const attempt = old.deliver(input!); // has its epoch, and what is selected
      await read.reached;
      await scene.grant('1001');
      let seen: unknown;
      const planning = unless(rule, scene.store, async (call) => {
        const answer = await call.run();
        if (isMarkerRead(call)) seen ??= answer;
        return isBeginning(call) && isTickets(call) ? seen : answer;
      });
      let moved = false;
      const meeting = rewire(planning, async (call) => {
        if (isMarkerRead(call) && !moved) {
          moved = true;
          const answer = await call.run();
          read.goOn();
          await attempt;
          return answer;
        }
        return call.run();
      });
      await scene.worker(meeting, 'planner').run();
      await scene.worker().run();
      return scene.missing('1001');
    },
    { pageSize: 10, wrong: ['T-2'], mutant: 'END_BEFORE' },
  );

  sharedHalves(
    'commit-order, catch-up: the plan takes an epoch, or an attempt passes over what the account has above the end',
    async (scene, rule) => {
      await scene.grant('1002');
      await scene.pushTickets({ 'T-0': ['1003'] });
      await scene.worker().run();
      await scene.grant('1003'); // its catch-up is open when the next one is begun
      await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1002'] });
      const read = stopHere();
      let pages = 0;
      const stopping = stopAt((call) => isPageRead(call) && ++pages === 2, read);
      const old = scene.worker(rewire(scene.store, stopping), 'old').run();
      await read.reached; // T-1 is confirmed, T-3 is read
      await scene.grant('1001');
      const planning = unless(rule, scene.store, (call) => {
        const [filter, , ...rest] = call.args as [Document, Document];
        return isBeginning(call) ? call.run([filter, { $inc: { epoch: 0 } }, ...rest]) : call.run();
      });
      await scene.worker(planning, 'planner').plan();
      read.goOn();
      await old;
      await scene.worker().run();
      return scene.missing('1001');
    },
    { pageSize: 1, wrong: ['T-2'], mutant: 'NO_EPOCH' },
  );

  sharedHalves(
    'commit-order, catch-up: an attempt goes by what is selected after it has taken its epoch, not by the plan’s',
    async (scene, rule) => {
      await scene.grant('1002');
      await scene.worker().run();
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
      const planned = asAtFirst(
        rule,
        scene.store,
        isSelection,
        ({ collection }) => collection === 'channels',
      );
      const worker = scene.worker(planned);
      const [input] = await worker.plan();
      await scene.grant('1001');
      await scene.worker(scene.store, 'other').plan();
      await worker.deliver(input!);
      await scene.worker().run();
      return scene.missing('1001');
    },
    { pageSize: 10, wrong: ['T-1'], mutant: 'STALE_SELECTION' },
  );

  sharedHalves(
    'commit-order, catch-up: a plan reads what is selected after the epoch by which it may pass over an empty window',
    async (scene, rule) => {
      await scene.worker().run();
      await scene.pushTickets({ 'T-1': ['1001'] });
      let met = false;
      const meeting = rewire(scene.store, async (call) => {
        if (isCounting(call) && !met) {
          met = true;
          await scene.grant('1001');
          await scene.worker(scene.store, 'other').plan();
        }
        return call.run();
      });
      const planning = asAtFirst(rule, meeting, isSelection, ({ collection }) => collection === 'channels');
      await scene.worker(planning, 'planner').plan();
      await scene.worker().run();
      return scene.missing('1001');
    },
    { pageSize: 10, wrong: ['T-1'], mutant: 'SELECTION_FIRST' },
  );

  sharedHalves(
    'commit-order, catch-up: one that is through removes itself, not the one that a later grant has put there',
    async (scene, rule) => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.worker().run();
      await scene.grant('1001');
      let since = 0;
      const finishing = unless(rule, scene.store, (call) => {
        if (!isFinish(call)) return call.run();
        const [removals, ...rest] = call.args as [Document[], Document];
        const inAnyEpoch = removals.map(({ deleteOne }) => ({
          deleteOne: { filter: { _id: deleteOne.filter._id } },
        }));
        return call.run([inAnyEpoch, ...rest]);
      });
      const overtaken = rewire(finishing, async (call) => {
        if (isFinish(call) && since === 0) {
          await scene.revoke('1001');
          since = scene.customer.pages.length;
          await scene.grant('1001');
          await scene.worker(scene.store, 'other').plan();
        }
        return call.run();
      });
      await scene.worker(overtaken, 'old').run();
      await scene.worker().run();
      return scene.missing('1001', since);
    },
    { pageSize: 10, wrong: ['T-1'], mutant: 'NO_GENERATION' },
  );

  sharedHalves(
    'commit-order, sharing: what is begun moves shares_version, or a worker goes by what it has read before',
    async (scene, rule) => {
      const worker = scene.worker();
      await scene.grant('1002');
      await worker.run();
      await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1002'] });
      const [input] = await worker.plan();
      await scene.grant('1001');
      await worker.deliver(input!, 1); // T-1, and it keeps what is selected before anything is begun
      await scene.worker(unless(rule, scene.store, withoutBump), 'planner').plan();
      await worker.deliver(input!);
      await scene.worker().run();
      return scene.missing('1001');
    },
    { pageSize: 1, wrong: ['T-2'], mutant: 'SHARES' },
  );

  /** 1001 is revoked when a page of it has been read; 1002 stays shared. */
  async function revokedBeforePost(scene: SharedHalves, rule: Rule): Promise<string[]> {
    let channel: unknown;
    const lookingOnce = unless(rule, scene.store, async (call) => {
      if (call.collection !== 'channels' || call.method !== 'findOne') return call.run();
      return (channel ??= await call.run());
    });
    const reading = rewire(lookingOnce, async (call) => {
      const page = await call.run();
      if (isPageRead(call) && pageOf(page).some(({ _id }) => _id === accountId('T-2')))
        await scene.revoke('1001');
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
    { pageSize: 10, wrong: ['T-2', 'T-3'], mutant: 'REVOKED' },
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
    { pageSize: 10, wrong: ['T-2', 'T-3'], mutant: 'REVOKED' },
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
      await scene.grant('1001');
      const halt = stopHere();
      let moves = 0;
      const slow = rewire(scene.store, async (call) => {
        if (isMove(call) && call.args[0]?.['_id'].endsWith('/42-1001') && ++moves === 3) await halt.here();
        return call.run();
      });
      const beginning = scene.worker(reused, 'planner');
      await beginning.plan();
      const old = scene.worker(slow, 'old').run();
      await halt.reached; // T-3 is confirmed, the catch-up is at T-2
      await scene.revoke('1001');
      const since = scene.customer.pages.length;
      await scene.grant('1001');
      await beginning.plan();
      await scene.worker().run({ pages: 1 }); // T-1, then its worker stops
      halt.goOn();
      await old;
      await scene.worker().run();
      return scene.missing('1001', since);
    },
    { pageSize: 1, wrong: ['T-2', 'T-3'], mutant: 'NO_GENERATION' },
  );
});

describe('overtaken', () => {
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
    { pageSize: 10, wrong: ['T-1'], mutant: null },
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
    { pageSize: 1, wrong: ['42-1001'], mutant: 'REVOKED' },
  );
});
