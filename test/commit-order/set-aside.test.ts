import type { Document } from 'mongodb';
import {
  listSetAside,
  releaseForResend,
  RELEASED_AT_ONCE,
  releaseSetAside,
  setAside,
} from '../../store/deliveries/set-aside';
import { emptyStore } from '../setup/open-store';
import { bothHalves, isMove, missing, unless } from './both-halves';
import { type Call, rewire } from './rewire';
import { type Scene, withScene } from './scene';
import { SLUG } from '../setup/stand';
import { stopHere } from './stop-here';
import { slowTest } from '../setup/cases';

const isClear = ({ collection, method }: Call) => collection === 'set_aside' && method === 'deleteMany';

/** Clears by the record's name alone, whatever refusal of it is there by then. */
const byNameOnly = (call: Call) => {
  if (!isClear(call)) return call.run();
  const [{ $or, _id }] = call.args as [{ $or?: { record: string }[]; _id?: string }];
  const records = $or ? $or.map(({ record }) => record) : [_id!.split('/').at(-1)];
  return call.run([{ record: { $in: records } }] as Document[]);
};

const refuses = (scene: Scene, id: string) => {
  scene.customer.script = ({ records }) => (records.some(({ remote_id }) => remote_id === id) ? 422 : 200);
};
const takesAll = (scene: Scene) => {
  scene.customer.script = () => 200;
};

/** What goes through `store` stops before it strikes anything off the list of those set aside. */
function stopBeforeClear(store: Scene['store']) {
  const halt = stopHere();
  const stopping = rewire(store, async (call) => {
    if (isClear(call)) await halt.here();
    return call.run();
  });
  return { ...halt, store: stopping };
}

/** T1 is set aside; then `settle` confirms it, but another worker sets its next version aside before it is cleared. */
async function refusedAnew(
  scene: Scene,
  store: Scene['store'],
  settle: (through: Scene['store']) => Promise<void>,
): Promise<string[]> {
  await scene.push('T1', 'T2');
  refuses(scene, 'T1');
  await scene.run();
  const late = stopBeforeClear(store);
  takesAll(scene);
  const settled = settle(late.store);
  await late.reached;
  refuses(scene, 'T1');
  await scene.push('T1', 'T3');
  await scene.run();
  late.goOn();
  await settled;
  takesAll(scene);
  await releaseSetAside(scene.store, SLUG, {});
  await scene.run();
  return missing(scene);
}

bothHalves(
  'a confirmed page clears the versions it brought, not a newer one set aside meanwhile',
  (scene, rule) =>
    refusedAnew(scene, unless(rule, scene.store, byNameOnly), async (slow) => {
      await scene.push('T1');
      await scene.run(slow);
    }),
  { pageSize: 2, lost: ['T1'], mutant: null },
);

bothHalves(
  'a released record that is confirmed is cleared too',
  (scene, rule) =>
    refusedAnew(scene, unless(rule, scene.store, byNameOnly), async (slow) => {
      await releaseSetAside(scene.store, SLUG, {});
      await scene.run(slow);
    }),
  { pageSize: 2, lost: ['T1'], mutant: null },
);

bothHalves(
  'a confirmed page does not clear what is refused after a reset, of the same version',
  async (scene, rule) => {
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    await scene.run();
    takesAll(scene);
    await scene.push('T1');
    const late = stopBeforeClear(unless(rule, scene.store, byNameOnly));
    const settled = scene.run(late.store);
    await late.reached;
    await scene.reset();
    const since = scene.customer.pages.length;
    refuses(scene, 'T1');
    await scene.run();
    late.goOn();
    await settled;
    takesAll(scene);
    await releaseSetAside(scene.store, SLUG, {});
    await scene.run();
    return missing(scene, since);
  },
  { pageSize: 2, lost: ['T1'], mutant: null },
);

/** T1, which is set aside, comes again in a page. What is asked for while that is in flight is played before it is confirmed. */
async function askedMeanwhile(
  scene: Scene,
  store: Scene['store'],
  ask: () => Promise<unknown>,
): Promise<string[]> {
  await scene.push('T1', 'T2');
  refuses(scene, 'T1');
  await scene.run();
  takesAll(scene);
  await scene.push('T1');
  const late = stopBeforeClear(store);
  const settled = scene.run(late.store);
  await late.reached;
  await ask();
  const since = scene.customer.pages.length;
  late.goOn();
  await settled;
  await scene.run();
  return (await missing(scene, since)).filter((id) => id === 'T1');
}

/** Clears what a page has confirmed, even if it was asked for since. */
const evenIfAsked = (call: Call) => {
  if (!isClear(call)) return call.run();
  const [filter] = call.args as [{ $or: Document[] }];
  return call.run([{ ...filter, $or: filter.$or.map(({ released_at: _, ...one }) => one) }]);
};
const LANE = { channel: SLUG, entity_type: 'tickets' } as const;

bothHalves(
  'a record that is asked for again while a page with it is in flight is sent again',
  (scene, rule) =>
    askedMeanwhile(scene, unless(rule, scene.store, evenIfAsked), () =>
      releaseForResend(scene.store, LANE, [{ id: '42-T1', position: 3 }]),
    ),
  { pageSize: 2, lost: ['T1'], mutant: null },
);

bothHalves(
  'so is one that is released meanwhile',
  (scene, rule) =>
    askedMeanwhile(scene, unless(rule, scene.store, evenIfAsked), () =>
      releaseSetAside(scene.store, SLUG, {}),
    ),
  { pageSize: 2, lost: ['T1'], mutant: null },
);

/** What goes through `store` stops before it sets a record aside, or passes it. */
function stopBeforeAside(store: Scene['store']) {
  const halt = stopHere();
  const stopping = rewire(store, async (call) => {
    if (isMove(call) || (call.collection === 'set_aside' && call.method === 'replaceOne')) await halt.here();
    return call.run();
  });
  return { ...halt, store: stopping };
}

const asideOf = async ({ store }: Scene) => (await listSetAside(store, SLUG)).map(({ record }) => record);

test.each(['it posts', 'the customer has asked for', 'an operator has released'])(
  'an attempt that is overtaken sets aside nothing of what %s',
  (what) =>
    withScene(2, async (scene) => {
      await scene.push('T1', 'T2', 'T3');
      if (what !== 'it posts') {
        if (what === 'an operator has released') refuses(scene, 'T1');
        await scene.run();
        await releaseForResend(scene.store, LANE, [
          { id: '42-T1', position: 1 },
          { id: '42-T2', position: 2 },
        ]);
      }
      refuses(scene, 'T1');
      const late = stopBeforeAside(scene.store);
      const settled = scene.run(late.store);
      await late.reached;
      takesAll(scene);
      await scene.run();
      late.goOn();
      await settled;
      expect([await missing(scene), await asideOf(scene)]).toEqual([[], []]);
    }),
);

test('a record that is asked for again while it is refused is sent again', () =>
  withScene(2, async (scene) => {
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    const late = stopBeforeAside(scene.store);
    const settled = scene.run(late.store);
    await late.reached;
    await releaseForResend(scene.store, LANE, [{ id: '42-T1', position: 1 }]);
    late.goOn();
    await settled;
    takesAll(scene);
    await scene.run();
    expect([await missing(scene), await asideOf(scene)]).toEqual([[], []]);
  }));

test('a marker passes no record that could not be set aside', () =>
  withScene(2, async (scene) => {
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    const failing = rewire(scene.store, (call) =>
      call.collection === 'set_aside' && call.method === 'replaceOne'
        ? Promise.reject(new Error('away'))
        : call.run(),
    );
    await expect(scene.run(failing)).rejects.toThrow('away');
    expect([await scene.position(), await asideOf(scene)]).toEqual([0, []]);
    await scene.run();
    expect([await scene.position(), await asideOf(scene)]).toEqual([2, ['42-T1']]);
  }));

test('what an attempt has set aside while the next one began is cleared when that confirms it', () =>
  withScene(2, async (scene) => {
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    const late = stopBeforeAside(scene.store);
    const settled = scene.run(late.store);
    await late.reached;
    await scene.push('T1');
    const [input] = await scene.plan();
    const begun = stopHere();
    const slow = rewire(scene.store, async (call) => {
      if (call.collection === 'markers' && call.method === 'findOneAndUpdate') await begun.here();
      return call.run();
    });
    const next = scene.attempt(input!, slow);
    await begun.reached;
    late.goOn();
    await settled;
    takesAll(scene);
    begun.goOn();
    await next;
    expect([await missing(scene), await asideOf(scene)]).toEqual([[], []]);
  }));

test('a newer version that is refused is set aside, though a frozen worker has had the released one confirmed', () =>
  withScene(2, async (scene) => {
    scene.customer.severalSenders = true;
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    await scene.run();
    await releaseSetAside(scene.store, SLUG, {});
    const frozen = stopHere();
    scene.customer.script = () => frozen.here().then(() => 200);
    const released = scene.run();
    await frozen.reached;
    await scene.push('T1', 'T3');
    refuses(scene, 'T1');
    const late = stopBeforeAside(scene.store);
    const settled = scene.run(late.store);
    await late.reached;
    frozen.goOn();
    await released;
    late.goOn();
    await settled;
    expect(await asideOf(scene)).toEqual(['42-T1']);
    takesAll(scene);
    await releaseSetAside(scene.store, SLUG, {});
    await scene.run();
    expect(await missing(scene)).toEqual([]);
  }));

test('what is confirmed is set aside no longer, wherever the worker dies', () =>
  withScene(2, async (scene) => {
    await scene.push('T1', 'T2');
    refuses(scene, 'T1');
    await scene.run();
    takesAll(scene);
    await scene.push('T1');
    const dying = rewire(scene.store, (call) =>
      isClear(call) ? Promise.reject(new Error('died')) : call.run(),
    );
    await expect(scene.run(dying)).rejects.toThrow('died');
    await scene.run();
    expect([await missing(scene), await asideOf(scene)]).toEqual([[], []]);
  }));

slowTest('a 413 to one probe of a search passes over no record', () =>
  withScene(4, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    scene.customer.script = ({ records }) => {
      const bad = records.find(({ remote_id }) => remote_id === 'T1' || remote_id === 'T4');
      return bad ? (bad.remote_id === 'T1' ? 422 : 413) : 200;
    };
    for (let run = 0; run < 4; run++) await scene.run();
    expect(await missing(scene)).toEqual(['T1', 'T4']); // T4, with no other behind it, waits
    await scene.push('T5');
    await scene.run();
    const aside = (await listSetAside(scene.store, SLUG)).map(({ record }) => record);
    expect([aside, await missing(scene)]).toEqual([
      ['42-T1', '42-T4'],
      ['T1', 'T4'],
    ]);
  }),
);

test('with pages of one record, a refused one blocks nothing either', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    refuses(scene, 'T1');
    await scene.run();
    expect(await missing(scene)).toEqual(['T1']);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1' }]);
  }));

test('with pages of one record, an endpoint that refuses everything keeps everything', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    scene.customer.script = () => 422;
    await scene.run();
    expect(await listSetAside(scene.store, SLUG)).toEqual([]);
    expect(await scene.position()).toBe(0);
  }));

test('a search is handed on where its time is over, and begins again', () =>
  withScene(4, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    refuses(scene, 'T2');
    const [input] = await scene.plan();
    const first = await scene.attempt(input!, scene.store, 1);
    expect([first.end, scene.customer.pages.length]).toEqual(['more', 1]);
    const second = await scene.attempt({ ...input!, done: first.totals, first: false });
    expect([second.end, await missing(scene)]).toEqual(['delivered', ['T2']]);
  }));

slowTest('records released that wait for the own window do not keep a delivery from its end', () =>
  withScene(1_000, async (scene) => {
    const ids = Array.from({ length: RELEASED_AT_ONCE }, (_, index) => `T${index}`);
    await scene.push(...ids, 'T_last');
    await scene.run();
    const lane = { channel: SLUG, entity_type: 'tickets' } as const;
    const chosen = [...ids, 'T_last'].map((id) => ({ id: `42-${id}`, position: 1 }));
    await releaseForResend(scene.store, lane, chosen);
    const [input] = await scene.plan();
    await scene.push(...ids); // corrected by the ERP after the plan
    const before = scene.customer.pages.length;
    expect((await scene.attempt(input!)).end).toBe('delivered');
    const sent = scene.customer.pages.slice(before).flatMap(({ records }) => records);
    expect(sent.map(({ remote_id }) => remote_id)).toEqual(['T_last']);
  }),
);

slowTest('a retry of a delivery that is long over moves the marker nowhere', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    const [input] = await scene.plan();
    await scene.attempt(input!);
    for (const id of ['T3', 'T4', 'T5', 'T6']) {
      await scene.push(id);
      await scene.run();
    }
    const [position, posted] = [await scene.position(), scene.customer.pages.length];
    await scene.attempt(input!);
    expect([await scene.position(), scene.customer.pages.length]).toEqual([position, posted]);
  }),
);

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

test('a late refusal of an older version does not take the place of a newer one', async () => {
  const store = await emptyStore();
  await setAside(store, refusal(7, 'no weight'));
  await setAside(store, refusal(5, 'no name'));
  expect(await listSetAside(store, SLUG)).toMatchObject([{ position: 7, answer: 'no weight' }]);
  await setAside(store, refusal(7, 'still no weight'));
  expect(await listSetAside(store, SLUG)).toMatchObject([{ position: 7, answer: 'still no weight' }]);
});
