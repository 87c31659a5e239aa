import type { ClientSession, Document, Timestamp } from 'mongodb';
import { findChannel } from '../../store/channels/channels';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { readCeiling } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { bothHalves, isMove, isPageRead, missing, pageOf, unless } from './both-halves';
import { type Call, rewire } from './rewire';
import { pushTickets, type Scene, withScene } from './scene';
import { SLUG } from '../setup/stand';
import { stopHere } from './stop-here';
import { withoutEpoch, withoutNewEpoch } from '../model/left-out';
import { pushRecords } from '../setup/push-records';

// The rules: docs/architecture.md#commit-order.

// Pushes that overlap come from several processes: the line that one process keeps must not order them here.
jest.mock('../../store/push/push-locks', () => ({ acquirePushLocks: async () => () => {} }));

describe('interleavings', () => {
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
      const refused = stopHere();
      let tries = 0;
      const waiting = rewire(counting, ({ collection, method, run }) => {
        if (collection === 'counters' && method === 'findOneAndUpdate' && ++tries === 2) void refused.here();
        return run();
      });
      // With the rule the second has to wait for the first, and the run sees neither. Without it the run passes the first.
      let second = rule === 'kept' && pushTickets(waiting, ['T2']);
      if (second) await refused.reached;
      await scene.run();
      second ||= pushTickets(counting, ['T2']);
      halt.goOn();
      await Promise.all([first, second]);
      await scene.run();
      return missing(scene);
    },
    { pageSize: 10, lost: ['T1'], mutant: 'OUTSIDE' },
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
        const range = (from: number, to: number) => [
          { ...filter, position: { $gt: from, $lte: to } },
          options,
        ];
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
    { pageSize: 4, lost: ['T4'], mutant: 'NO_CEILING' },
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
    { pageSize: 10, lost: ['T2'], mutant: 'LATE_CEILING' },
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
    { pageSize: 10, lost: ['T1'], mutant: 'LATE_CEILING' },
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
          const markers = scene.store.db.collection<Document & { _id: string }>('markers');
          const { _id, epoch } = (await markers.findOne({}))!;
          const progress = { delivery: 'early', pages: scene.customer.pages.length + 1 };
          await markers.updateOne({ _id, epoch }, { $set: { position: next.position, progress } });
        }
        return page;
      });
      await scene.run(early); // the customer goes down over the second page
      await scene.run();
      return missing(scene);
    },
    { pageSize: 1, lost: ['T2'], mutant: 'ADV_EARLY' },
  );
});

describe('fences', () => {
  // The rules: docs/architecture.md#commit-order.

  /** Takes the generation of the plan for that of the marker. */
  const withoutGeneration = async (call: Call) => {
    if (call.collection !== 'markers' || call.method !== 'findOneAndUpdate') return call.run();
    const [{ generation, ...filter }, ...rest] = call.args as [Document, Document];
    const marker = (await call.run([filter, ...rest])) as Document | null;
    return marker && { ...marker, generation };
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
    { pageSize: 1, lost: ['T1', 'T2', 'T3', 'T4'], mutant: 'SKIP_RESET_FENCE' },
  );

  bothHalves(
    'rule 3: a page moves the marker only in its own epoch, whatever reset comes between',
    (scene, rule) => resetBetweenPages(scene, { delivering: unless(rule, scene.store, withoutEpoch) }),
    { pageSize: 1, lost: ['T1', 'T2', 'T3', 'T4'], mutant: 'NO_FENCE' },
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
    { pageSize: 1, lost: ['T2', 'T3'], mutant: 'NO_FENCE' },
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
    { pageSize: 1, lost: ['T2', 'T3'], mutant: 'NO_FENCE' },
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
    { pageSize: 10, lost: ['T1', 'T2', 'T3'], mutant: null },
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
      expect(await scene.attempt(input!)).toMatchObject({
        end: 'delivered',
        totals: { pages: 3, records: 3 },
      });
      expect(scene.posted()).toEqual(['T1', 'T2', 'T3']);
      expect(scene.customer.pages.map(({ meta }) => meta.current_page)).toEqual([1, 2, 3]);
    }));
});

describe('lagging-reads', () => {
  // The rules: docs/architecture.md#commit-order.

  // After a failover a majority read may be older than one before it, unless both are of one causal session.

  bothHalves(
    'rule 2: a read that lags behind the planned ceiling is refused',
    async (scene, rule) => {
      await scene.push('T1');
      const [input] = await scene.plan();
      const lagging = rewire(scene.store, (call) => {
        if (call.collection === 'counters') {
          return rule === 'kept' ? Promise.resolve({ position: 0 }) : call.run();
        }
        return isPageRead(call) ? Promise.resolve([]) : call.run();
      });
      await scene.attempt(input!, lagging).then(
        () => expect(rule).toBe('left out'),
        (error: Error) => expect([rule, error.name]).toEqual(['kept', 'StaleRead']),
      );
      await scene.run();
      return missing(scene);
    },
    { pageSize: 10, lost: ['T1'], mutant: null },
  );

  test('rule 2: a plan whose count lags behind the ceiling it has read loses nothing', () =>
    withScene(10, async (scene) => {
      await scene.push('T1', 'T2');
      let seen: unknown;
      const lagging = rewire(scene.store, ({ collection, method, args, run }) => {
        const session = (args[1] as { session?: unknown } | undefined)?.session;
        if (collection === 'counters') seen = session;
        const follows = session !== undefined && session === seen;
        return collection === 'tickets' && method === 'countDocuments' && !follows
          ? Promise.resolve(0)
          : run();
      });
      await scene.plan(lagging);
      await scene.run();
      expect(await missing(scene)).toEqual([]);
    }));

  /** A primary just elected: what is read of the tickets is old, but in a session that made it prove itself. */
  function justElected(store: Store, old: unknown): Store {
    let proof: Timestamp | undefined;
    return rewire(store, async ({ collection, args, method, run }) => {
      const answer = run();
      if (method === 'command' && args[0]!['readConcern']?.level === 'linearizable')
        proof = ((await answer) as { operationTime: Timestamp }).operationTime;
      const { session } = (args[1] ?? {}) as { session?: ClientSession };
      const isProven = proof && session?.operationTime?.greaterThanOrEqual(proof);
      const lags = collection === 'tickets' && /^find/.test(method) && !isProven;
      return lags && !session?.inTransaction() ? old : answer;
    });
  }
  const noted = (note: string) => ({ tickets: [{ id: 'T1', account_id: '1001', note }] });

  test('rule 2: a look before a push that lags does not take a change for none', () =>
    withScene(10, async ({ store }) => {
      const tickets = store.db.collection('tickets');
      await pushRecords(store, noted('first'));
      const old = await tickets.find().toArray();
      await pushRecords(store, noted('second'));
      await pushRecords(justElected(store, old), noted('first'));
      const [stored] = await tickets.find<{ wire: Buffer }>({}).toArray();
      expect(stored!.wire.toString()).toContain('"note":"first"');
    }));

  test('rule 3: a reset that reads from a lagging primary still sends again what was acknowledged', () =>
    withScene(10, async (scene) => {
      const since = new Date();
      await scene.push('T1');
      await scene.run();
      const channel = (await findChannel(scene.store, SLUG))!;
      const elected = justElected(scene.store, null);
      expect(await resetChannelMarker(elected, channel, 'tickets', since)).toBe(0);
    }));
});
