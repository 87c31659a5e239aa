import { setTimeout } from 'node:timers/promises';
import { type DeliverInput, NOTHING_YET } from '../../domain/deliveries/delivery';
import { formatInstant } from '../../domain/time/instants';
import { pauseChannel } from '../../store/channels/channels';
import { type Marker, readMarkers, startMarker } from '../../store/markers/markers';
import {
  listReleased,
  listSetAside,
  releaseForResend,
  releaseSetAside,
  setAside,
} from '../../store/deliveries/set-aside';
import { RawRecord } from '../../store/window/page-builder';
import { setChannel } from '../../store/channels/set-channel';
import { missing } from '../commit-order/both-halves';
import { rewire } from '../commit-order/rewire';
import { type Scene, withScene } from '../commit-order/scene';
import { SLUG } from '../setup/stand';
import { FakeCustomer, type Reply } from '../setup/fake-customer';
import { refusalOf } from './deliver/refusal-of';
import { withSlowPages } from './deliver/with-slow-pages';
import { slowTest, first, scaledTest, nightlyTest } from '../setup/cases';

/** Plans, and does something while the customer reads the first page. */
async function interrupted(scene: Scene, interrupt: () => Promise<unknown>) {
  await scene.push('T1', 'T2', 'T3');
  const [input] = await scene.plan();
  scene.customer.script = async () => {
    if (scene.customer.pages.length === 1) await interrupt();
    return 200;
  };
  return scene.attempt(input!);
}

test('an attempt that is overtaken stops with the page under way', () =>
  withScene(1, async (scene) => {
    expect(await interrupted(scene, () => scene.reset())).toMatchObject({ end: 'superseded' });
    expect(scene.posted()).toEqual(['T1']);
  }));

test('a pause ends a delivery before its next page; the page under way is confirmed', () =>
  withScene(1, async (scene) => {
    const pause = () => pauseChannel(scene.store, SLUG, 'asked');
    expect(await interrupted(scene, pause)).toMatchObject({ end: 'paused' });
    expect([scene.posted(), await scene.position()]).toEqual([['T1'], 1]);
  }));

describe('a type that is taken from a channel', () => {
  const take = (scene: Scene) => setChannel(scene.store, SLUG, { entity_types: ['accounts'] });

  test('is sent no more: the delivery in flight ends before its next page', () =>
    withScene(1, async (scene) => {
      expect(await interrupted(scene, () => take(scene))).toMatchObject({ end: 'superseded' });
      expect([scene.posted(), await scene.position()]).toEqual([['T1'], 1]);
    }));

  test('nor by a delivery that waits for its customer', () =>
    withScene(1, async (scene) => {
      await scene.push('T1');
      const [input] = await scene.plan();
      scene.customer.script = () => 503;
      expect(await scene.attempt(input!)).toMatchObject({ end: 'unconfirmed' });
      await take(scene);
      expect(await scene.attempt({ ...input!, first: false })).toMatchObject({ end: 'superseded' });
      expect(scene.posted()).toEqual(['T1']);
    }));

  test('nor is a record of it that was asked for again', () =>
    withScene(1, async (scene) => {
      await scene.push('T1');
      await scene.run();
      await releaseForResend(scene.store, { channel: SLUG, entity_type: 'tickets' }, [
        { id: '42-T1', position: 1 },
      ]);
      const [input] = await scene.plan();
      await take(scene);
      expect(await scene.attempt(input!)).toMatchObject({ end: 'superseded' });
      expect(scene.posted()).toEqual(['T1']);
    }));
});

test('the total is fixed when a delivery begins; a record that changes during it comes behind the others', () =>
  withScene(1, async (scene) => {
    const ended = await interrupted(scene, () => scene.push('T2', 'T4'));
    expect(ended).toMatchObject({ end: 'delivered' });
    const totals = scene.customer.pages.map(({ meta }) => meta.total_count);
    await scene.run();
    expect(scene.posted()).toEqual(['T1', 'T3', 'T2', 'T4']);
    expect(new Set(totals)).toEqual(new Set([3]));
  }));

test('from its next page on a delivery goes to the address that the channel has by then', () =>
  withScene(1, async (scene) => {
    const moved = await FakeCustomer.start();
    const move = () => setChannel(scene.store, SLUG, { base_url: moved.baseUrl });
    expect(await interrupted(scene, move)).toMatchObject({ end: 'delivered' });
    await moved.stop();
    expect([scene.posted(), moved.pages.length]).toEqual([['T1'], 2]);
  }));

test('an address that something else than gdx has written gets no page, and the operator is told why', () =>
  withScene(1, async (scene) => {
    const stranger = await FakeCustomer.start();
    const channels = scene.store.db.collection<{ _id: string }>('channels');
    const redirect = () => channels.updateOne({ _id: SLUG }, { $set: { base_url: stranger.baseUrl } });
    const ended = await interrupted(scene, redirect);
    await stranger.stop();
    expect([scene.posted(), stranger.pages.length, await scene.position()]).toEqual([['T1'], 0, 1]);
    expect(ended.unconfirmed).toMatchObject({
      failure: 'misconfigured',
      reason: 'has an address that its secrets are not sealed for, so nothing was sent',
      advice: 'check the channel’s base URL',
    });
  }));

test('of a page no record is decoded but its last, where none is set aside and none counts as a change', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    await scene.run();
    await scene.reset();
    const fields = (['_id', 'updated_at'] as const).map((field) =>
      jest.spyOn(RawRecord.prototype, field, 'get'),
    );
    await scene.run();
    const times = fields.map((field) => field.mock.calls.length);
    fields.forEach((field) => field.mockRestore());
    expect([scene.customer.pages.at(-1)!.records.length, times]).toEqual([4, [0, 1]]);
  }));

test('another page size ends a delivery before its next page', () =>
  withScene(1, async (scene) => {
    const resize = () => setChannel(scene.store, SLUG, { page_size: 2 });
    expect(await interrupted(scene, resize)).toMatchObject({ end: 'resized' });
    expect([scene.posted(), await scene.position()]).toEqual([['T1'], 1]);
  }));

test('a record that alone is too large is set aside, and the rest is delivered', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T2') ? 413 : 200;
    await scene.run();
    expect(await missing(scene)).toEqual(['T2']);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T2', failure: 'too_large' }]);
  }));

test('a record is set aside before the marker passes it', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    scene.customer.script = ({ records }) => (records[0]!.remote_id === 'T1' ? 413 : 200);
    const killed = rewire(scene.store, (call) => {
      if (call.collection === 'set_aside' && call.method === 'replaceOne') throw new Error('killed');
      return call.run();
    });
    await expect(scene.run(killed)).rejects.toThrow('killed');
    expect(await scene.position()).toBe(0);
  }));

slowTest('what was set aside and is confirmed now is set aside no longer', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T1') ? 422 : 200;
    await scene.run();
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1' }]);
    scene.customer.script = () => 200;
    await scene.push('T1');
    await scene.run();
    expect([await listSetAside(scene.store, SLUG), await missing(scene)]).toEqual([[], []]);
  }),
);

/** The customer confirms accounts all the while, and answers a page with T1 in it with this; four runs. */
async function stumbling(scene: Scene, reply: Reply, as?: typeof once) {
  await scene.push('T1', 'T2');
  return runsOver(scene, reply, as);
}

async function confirmAccounts({ store }: Scene): Promise<void> {
  await startMarker(store, SLUG, 'accounts', 0);
  const confirmed = { $set: { delivered_at: new Date(Date.now() + 1) } };
  await store.db.collection<Marker>('markers').updateOne({ _id: `${SLUG}/accounts` }, confirmed);
}

async function runsOver(scene: Scene, reply: Reply, as?: typeof once) {
  scene.customer.script = ({ records }) =>
    records.some(({ remote_id }) => remote_id === 'T1') ? reply : 200;
  return fourRuns(scene, as);
}
const once = (run: () => Promise<unknown>) => run();

async function fourRuns(scene: Scene, as = once) {
  for (let run = 0; run < 4; run++) {
    await confirmAccounts(scene);
    await as(() => scene.run());
  }
  return (await listSetAside(scene.store, SLUG)).map(({ record }) => record);
}

slowTest('a record that its receiver stumbles over is found in the third delivery', () =>
  withScene(10, async (scene) => {
    const posted: number[] = [];
    const found = await stumbling(scene, 500, async (run) => {
      await run();
      posted.push(scene.customer.pages.length);
    });
    expect([found, posted.slice(0, 2)]).toEqual([['42-T1'], [1, 2]]); // in two deliveries it is not looked for
  }),
);

slowTest('however long its receiver takes to fail', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    await runsOver(scene, 500, (run) => withSlowPages(scene, 11_000, run));
    expect([await missing(scene), await scene.position()]).toEqual([['T1'], 2]);
  }),
);

slowTest('it is not looked for in a run that has looked for others', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T1') ? 500 : 200;
    for (let run = 1; run <= 4; run++) {
      await confirmAccounts(scene);
      const [input] = await scene.plan();
      await scene.attempt({ ...input!, first: false, spent: { set_aside: 0, probes: 1 } });
      expect(scene.customer.pages).toHaveLength(run);
    }
    expect(await listSetAside(scene.store, SLUG)).toEqual([]);
  }),
);

slowTest.each([401, 403, 404, 406, 415, 423, 451, 302])(
  'so is one that is answered %i in three deliveries',
  (status) =>
    withScene(10, async (scene) => {
      expect(await stumbling(scene, status)).toEqual(['42-T1']);
      expect(await missing(scene)).toEqual(['T1']);
    }),
);

slowTest('where every record is answered 403, while other pages are confirmed, it is the endpoint', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    scene.customer.script = () => 403;
    expect(await fourRuns(scene)).toEqual([]);
    expect(await lastFailure(scene)).toBe(
      'answered 403 to every record tried: check the channel’s authorization',
    );
  }),
);

slowTest('a record that is answered 403 on a page of its own is named', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    scene.customer.script = () => 403;
    expect(await fourRuns(scene)).toEqual([]);
    expect(await lastFailure(scene)).toBe(
      'answered 403 to record 42-T1, with no other to compare it with: check the channel’s authorization',
    );
  }),
);

/** Of one more attempt. */
async function lastFailure(scene: Scene): Promise<string> {
  await confirmAccounts(scene);
  const [input] = await scene.plan();
  const { unconfirmed } = await scene.attempt({ ...input!, first: false });
  return `${unconfirmed!.reason}: ${unconfirmed!.advice}`;
}

scaledTest.each(first(2, [408, 502, 425, 429, 503, 504]))(
  'nor is one that is answered %i: the customer is away or asks for time',
  (status) =>
    withScene(10, async (scene) => {
      // Without Retry-After some of these may be a page that is too long.
      expect(await stumbling(scene, { status, headers: { 'retry-after': '0' } })).toEqual([]);
      expect(scene.customer.pages).toHaveLength(4);
    }),
);

slowTest('nor has it refused a record where it goes away while that record is sought', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    scene.customer.script = ({ records }) => {
      if (records.length === 4) return 500;
      return records.some(({ remote_id }) => remote_id === 'T3') ? 503 : 200;
    };
    expect([await fourRuns(scene), await scene.position()]).toEqual([[], 1]);
  }),
);

/** All three are there, and are sent once more; then the runs as above. */
async function stumblingAgain(scene: Scene, status: number, send: () => Promise<unknown>, as?: typeof once) {
  await scene.push('T1', 'T2', 'T3');
  await scene.run();
  await send();
  const before = scene.customer.pages.length;
  const found = await runsOver(scene, status, as);
  const confirmed = scene.customer.pages.slice(before).filter((page) => page.status === 200);
  return [found, confirmed.flatMap(({ records }) => records.map(({ remote_id }) => remote_id)).sort()];
}

const resendAll = ({ store }: Scene, ids = ['T1', 'T2', 'T3']) =>
  releaseForResend(
    store,
    { channel: SLUG, entity_type: 'tickets' },
    ids.map((id, index) => ({ id: `42-${id}`, position: index + 1 })),
  );

slowTest('one that was released is found the same way, and those behind it are delivered', () =>
  withScene(10, async (scene) => {
    const release = async () => {
      for (const id of ['T1', 'T2']) await setAside(scene.store, refusalOf(id));
      await releaseSetAside(scene.store, SLUG, {});
    };
    expect(await stumblingAgain(scene, 500, release)).toEqual([['42-T1'], ['T2', 'T3']]); // T3 to compare with
    expect(await listReleased(scene.store, SLUG)).toEqual([]);
  }),
);

slowTest('released once more, it is tried anew', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    await scene.run();
    await setAside(scene.store, refusalOf('T1'));
    await resendAll(scene, ['T2']);
    scene.customer.script = ({ records }) => (records[0]!.remote_id === 'T1' ? 500 : 200);
    for (let time = 0; time < 3; time++) {
      await releaseSetAside(scene.store, SLUG, {});
      await scene.run();
    }
    expect(await listReleased(scene.store, SLUG)).toHaveLength(2);
    expect(await listSetAside(scene.store, SLUG, { released: false })).toEqual([]);
  }),
);

slowTest('where nothing else is confirmed, it is not the record', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await scene.run();
    scene.customer.script = () => 500;
    await resendAll(scene, ['T1']);
    for (let run = 0; run < 4; run++) await scene.run();
    expect(await listReleased(scene.store, SLUG)).toHaveLength(1);
  }),
);

slowTest('so is one among those that the customer has asked for again', () =>
  withScene(10, async (scene) => {
    const found = await stumblingAgain(scene, 500, () => resendAll(scene));
    expect(found).toEqual([['42-T1'], ['T2', 'T3']]);
    expect(await listReleased(scene.store, SLUG)).toEqual([]);
  }),
);

scaledTest.each(first(1, [61_000, 5_000]))(
  'however long its receiver takes to fail over that one: %i ms',
  (ms) =>
    withScene(10, async (scene) => {
      const slowly = (run: () => Promise<unknown>) => withSlowPages(scene, ms, run);
      const found = await stumblingAgain(scene, 500, () => resendAll(scene), slowly);
      expect(found).toEqual([['42-T1'], ['T2', 'T3']]);
    }),
);

test('what is sent again comes in pages of the channel’s size, each under an id of its own', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    await scene.run();
    for (let time = 0; time < 2; time++) {
      await resendAll(scene, ['T1', 'T2']);
      await scene.run();
    }
    const { pages } = scene.customer;
    expect(pages.map(({ records }) => records.map(({ remote_id }) => remote_id).join())).toEqual(
      ['T1', 'T2', 'T1', 'T2', 'T1', 'T2'], // none on a page with another
    );
    expect(new Set(pages.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  }));

test('a page of what is sent again that is too large comes again in pages of half the size, and a record that alone is too large is set aside', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    await scene.run();
    await resendAll(scene);
    const before = scene.customer.pages.length;
    scene.customer.script = ({ records }) =>
      records.length > 1 || records[0]!.remote_id === 'T2' ? 413 : 200;
    await scene.run(); // ends as resized
    await scene.run();
    const confirmed = scene.customer.pages.slice(before).filter(({ status }) => status === 200);
    expect(confirmed.flatMap(({ records }) => records.map(({ remote_id }) => remote_id))).toEqual([
      'T1',
      'T3', // to compare with
      'T3',
    ]);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T2', failure: 'too_large' }]);
    expect(await listReleased(scene.store, SLUG)).toEqual([]);
  }));

test('one that is asked for again by itself and refused waits, until another is confirmed and it is refused again', () =>
  withScene(10, async (scene) => {
    await scene.push('T2');
    await scene.run();
    await resendAll(scene, ['T2']);
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T2') ? 422 : 200;
    for (let run = 0; run < 2; run++) await scene.run();
    expect([await listReleased(scene.store, SLUG), scene.posted(1)]).toMatchObject([
      [{ record: '42-T2' }],
      ['T2', 'T2'],
    ]);
    await scene.push('T3');
    await scene.run();
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T2', failure: 'refused' }]);
    expect([await listReleased(scene.store, SLUG), scene.posted(3)]).toEqual([[], ['T3', 'T2']]);
  }));

slowTest('with pages of one record, one that is sent again and refused is compared with another one', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    await scene.run();
    await resendAll(scene, ['T1', 'T2']);
    scene.customer.script = () => 422;
    await scene.run();
    expect([await listSetAside(scene.store, SLUG), scene.posted(2)]).toEqual([[], ['T1', 'T2']]);
    scene.customer.script = ({ records }) => (records[0]!.remote_id === 'T1' ? 422 : 200);
    await scene.run();
    expect(scene.posted(4)).toEqual(['T1', 'T2', 'T1', 'T2']);
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T1' }]);
    expect(await listReleased(scene.store, SLUG)).toEqual([]);
  }),
);

slowTest('what is sent again waits for a customer that is away', () =>
  withScene(10, async (scene) => {
    expect(await stumblingAgain(scene, 503, () => resendAll(scene))).toEqual([[], []]);
    expect(await listReleased(scene.store, SLUG)).toHaveLength(3);
  }),
);

slowTest('of what is set aside or asked for again, a slice reads no more than its pages hold', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    await resendAll(scene, ['T1', ...Array.from({ length: 500 }, (_, index) => `other-${index}`)]);
    let read = 0;
    const counting = rewire(scene.store, async ({ collection, method, run }) => {
      const found = await run();
      if (collection === 'set_aside' && method === 'find') read += (found as unknown[]).length;
      return found;
    });
    const [own] = await scene.plan();
    await scene.attempt(own!, counting);
    expect([scene.posted(), read]).toEqual([['T1', 'T2', 'T3'], 1]);
    expect((await listReleased(scene.store, SLUG)).map(({ record }) => record)).not.toContain('42-T1');
  }),
);

slowTest('a slice ends after fifty pages', () =>
  withScene(1, async (scene) => {
    await scene.push(...Array.from({ length: 51 }, (_, index) => `T${100 + index}`));
    const [input] = await scene.plan();
    expect(await scene.attempt({ ...input!, first: false })).toMatchObject({
      end: 'more',
      totals: { pages: 50 },
    });
  }),
);

nightlyTest('so does one of what is sent again', () =>
  withScene(1, async (scene) => {
    const ids = Array.from({ length: 51 }, (_, index) => `T${100 + index}`);
    await scene.push(...ids);
    await startMarker(scene.store, SLUG, 'tickets', ids.length);
    await resendAll(scene, ids);
    const [input] = await scene.plan();
    expect(await scene.attempt({ ...input!, first: false })).toMatchObject({
      end: 'more',
      totals: { pages: 50 },
    });
  }),
);

test('a first slice, in the queue of all, ends after ten seconds, a further one after a minute', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    const [input] = await scene.plan();
    const first = await withSlowPages(scene, 11_000, () => scene.attempt(input!));
    expect([first.end, scene.posted()]).toEqual(['more', ['T1']]);
    const further = { ...input!, first: false, done: first.totals };
    const next = await withSlowPages(scene, 11_000, () => scene.attempt(further));
    expect([next.end, scene.posted()]).toEqual(['delivered', ['T1', 'T2', 'T3']]);
  }));

test('a search is handed on by a first slice whose time is over, and finished by a further one whatever it takes', () =>
  withScene(4, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T2') ? 422 : 200;
    const [input] = await scene.plan();
    const first = await withSlowPages(scene, 11_000, () => scene.attempt(input!));
    expect([first.end, scene.customer.pages.length]).toEqual(['more', 1]);
    const further = { ...input!, first: false, done: first.totals };
    expect((await withSlowPages(scene, 61_000, () => scene.attempt(further))).end).toBe('delivered');
    expect(await missing(scene)).toEqual(['T2']);
  }));

test('the marker says how much of what a plan has found waits still, and up to when its customer has all', () =>
  withScene(2, async (scene) => {
    for (const id of ['T1', 'T2', 'T3']) {
      await scene.push(id);
      await setTimeout(2); // a change time of its own
    }
    const [input] = await scene.plan();
    const found = async () => (await readMarkers(scene.store, SLUG)).get('tickets')!;
    expect((await found()).found).toMatchObject({ records: 3 });
    await scene.attempt(input!, scene.store, 1);
    const marker = await found();
    expect(marker.found).toMatchObject({ records: 1 });
    const changed = scene.customer.pages[0]!.records.map(({ updated_at }) => updated_at);
    expect(new Set(changed).size).toBe(2);
    expect(formatInstant(marker.timestamp!)).toBe(changed[1]);
  }));

test('what was taken along from beyond a window is passed with it', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    const [input] = await scene.plan();
    await scene.push('T1');
    await scene.attempt(input!);
    expect([scene.posted(), await scene.plan()]).toEqual([['T1'], []]);
  }));

slowTest('a page that is filled from beyond its window is no larger than 16 MiB either', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    const [input] = await scene.plan();
    await scene.push('T2');
    const { db } = scene.store;
    for (const ticket of await db.collection('tickets').find().toArray()) {
      const padding = `,"padding":"${'x'.repeat(9 * 1024 * 1024)}"}`;
      const wire = Buffer.from(`${String(ticket['wire']).slice(0, -1)}${padding}`);
      await db.collection('tickets').updateOne({ _id: ticket._id }, { $set: { wire } });
    }
    await db.collection('markers').updateMany({}, { $set: { short: true } }); // as after a window from which records have moved
    await scene.attempt(input!);
    expect(scene.posted()).toEqual(['T1']);
    await scene.run();
    expect(scene.posted()).toEqual(['T1', 'T2']);
  }),
);

test('a customer that gives no answer is planned as one that hangs, and no longer once it answers', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    scene.customer.script = () => 'hang-up';
    await scene.run();
    expect(await scene.plan()).toMatchObject([{ unanswered: true }]);
    scene.customer.script = () => 503;
    await scene.run();
    expect(await scene.plan()).toMatchObject([{ unanswered: false }]);
  }));

slowTest('a run searches with sixty requests and no more', () =>
  withScene(100, async (scene) => {
    await scene.push(...Array.from({ length: 60 }, (_, index) => `T${100 + index}`));
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => Number(remote_id.slice(1)) % 3) ? 422 : 200;
    const [result] = await scene.run();
    expect(result!.unconfirmed?.reason).toMatch(/ to (20 records|records found one by one, in 60 requests)$/);
    expect(result!.totals.probes).toBeLessThanOrEqual(60);
  }),
);

slowTest('a run sets twenty records aside and no more', () =>
  withScene(100, async (scene) => {
    const ids = Array.from({ length: 25 }, (_, index) => `T${100 + index}`);
    await scene.push(...ids);
    await scene.run();
    for (const id of ids) await setAside(scene.store, refusalOf(id));
    await releaseSetAside(scene.store, SLUG, {});
    const before = scene.customer.pages.length;
    scene.customer.script = () => 422;
    const [{ unconfirmed, totals }] = (await scene.run()) as [Awaited<ReturnType<Scene['run']>>[number]];
    expect(unconfirmed?.reason).toBe('answered 422 to 20 records');
    expect([totals.set_aside, scene.customer.pages.length - before]).toEqual([20, 21]);
    expect(await listSetAside(scene.store, SLUG, { released: true })).toHaveLength(5);
  }),
);

test.each<[string, Partial<DeliverInput>]>([
  ['earlier deliveries', { spent: { set_aside: 20, probes: 0 } }],
  ['earlier slices', { done: { ...NOTHING_YET, set_aside: 20 } }],
])('those of %s count', (_, before) =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2');
    scene.customer.script = ({ records }) =>
      records.some(({ remote_id }) => remote_id === 'T1') ? 422 : 200;
    const [input] = await scene.plan();
    const { unconfirmed } = await scene.attempt({ ...input!, ...before });
    expect(unconfirmed?.reason).toBe('answered 422 to 20 records');
    expect(await listSetAside(scene.store, SLUG)).toEqual([]);
  }),
);

test('a released record of a company that the channel no longer has goes nowhere', () =>
  withScene(1, async (scene) => {
    await scene.push('T1');
    await scene.run();
    await setAside(scene.store, refusalOf('T1'));
    await releaseSetAside(scene.store, SLUG, {});
    const channels = scene.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: SLUG }, { $set: { companies: ['43'] } });
    await scene.run();
    expect([scene.posted(), await listSetAside(scene.store, SLUG)]).toEqual([['T1'], []]);
  }));
