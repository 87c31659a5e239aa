import { bothHalves, isPageRead, missing } from './both-halves';
import { rewire } from './rewire';
import { inputsOf, SLUG, withScene } from './scene';

// After a failover a majority read may be older than one before it, unless both are of one causal session.

bothHalves(
  'commit-order 2: a read that lags behind the planned ceiling is refused',
  async (scene, rule) => {
    await scene.push('T1');
    const [input] = inputsOf(await scene.plan(), SLUG);
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

test('commit-order 2: a plan whose count lags behind the ceiling it has read loses nothing', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    let seen: unknown;
    const lagging = rewire(scene.store, ({ collection, method, args, run }) => {
      const session = (args[1] as { session?: unknown } | undefined)?.session;
      if (collection === 'counters') seen = session;
      const follows = session !== undefined && session === seen;
      return method === 'countDocuments' && !follows ? Promise.resolve(0) : run();
    });
    await scene.plan(lagging);
    await scene.run();
    expect(await missing(scene)).toEqual([]);
  }));
