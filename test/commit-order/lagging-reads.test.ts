import type { ClientSession, ReadConcern } from 'mongodb';
import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { resetChannelMarker } from '../../store/feed/reset-channel-marker';
import { pushRecords } from '../setup/push-records';
import { bothHalves, isPageRead, missing } from './both-halves';
import { rewire } from './rewire';
import { SLUG, withScene } from './scene';

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
  { pageSize: 10, lost: ['T1'] },
);

test('rule 2: a plan whose count lags behind the ceiling it has read loses nothing', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    let seen: unknown;
    const lagging = rewire(scene.store, ({ collection, method, args, run }) => {
      const session = (args[1] as { session?: unknown } | undefined)?.session;
      if (collection === 'counters') seen = session;
      const follows = session !== undefined && session === seen;
      return collection === 'tickets' && method === 'countDocuments' && !follows ? Promise.resolve(0) : run();
    });
    await scene.plan(lagging);
    await scene.run();
    expect(await missing(scene)).toEqual([]);
  }));

/** A primary just elected: what is read of the tickets is old, but in a session that made it prove itself. */
function justElected(store: Store, old: unknown): Store {
  const proven = new Set<unknown>();
  return rewire(store, ({ collection, args, method, run }) => {
    const { session, readConcern } = (args[1] ?? {}) as {
      session?: ClientSession;
      readConcern?: ReadConcern;
    };
    if (collection === 'counters' && readConcern?.level === 'linearizable') proven.add(session);
    const lags = collection === 'tickets' && /^find/.test(method) && !proven.has(session);
    return lags && !session?.inTransaction() ? Promise.resolve(old) : run();
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
