import { markerId, readMarkers } from '../../store/markers/markers';
import { listSetAside, releaseForResend } from '../../store/deliveries/set-aside';
import { records } from '../../store/records/records';
import { slowTest } from '../setup/cases';
import type { ReceivedPage } from '../setup/fake-customer';
import { missing } from './both-halves';
import { type Scene, withScene } from './scene';
import { SLUG } from '../setup/stand';

const refusing =
  (status: number, ...ids: string[]) =>
  ({ records: posted }: ReceivedPage) =>
    posted.some(({ remote_id }) => ids.includes(remote_id)) ? status : 200;

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `T${String(index + 10)}`);

const pagesSince = ({ customer }: Scene, since: number) =>
  customer.pages.slice(since).map(({ records: posted, status }) => `${posted.map((one) => one.remote_id).join(' ')} ${status}`); // prettier-ignore

const aside = async ({ store }: Scene) =>
  (await listSetAside(store, SLUG)).map(({ record }) => record).sort();

/** Runs, with a new record before each. */
async function runsWithNews(scene: Scene, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    await scene.push(`N${run}`);
    await scene.run();
  }
}

// docs/contract.md C10: what is at fault blocks nothing, however many of them lie beside each other.
test.each([
  ['two that are too large, in pages that shrink to one', 8, 413, numbered(8), ['T13', 'T14']],
  ['two in the middle, and a third', 4, 409, numbered(16), ['T14', 'T15', 'T18']],
  ['ten, in pages of four', 4, 409, numbered(24), numbered(18).slice(8)],
  ['the first two, in pages of one', 1, 409, numbered(4), ['T10', 'T11']],
  ['the first three, in pages of two', 2, 409, numbered(5), ['T10', 'T11', 'T12']],
])('refused neighbours stop nothing: %s', (_, pageSize, status, pushed, bad) =>
  withScene(pageSize, async (scene) => {
    await scene.push(...pushed);
    scene.customer.script = refusing(status, ...bad);
    await runsWithNews(scene, 10);
    expect(await missing(scene)).toEqual(bad);
    expect(await aside(scene)).toEqual(bad.map((id) => `42-${id}`));
  }),
);

test('refused neighbours of a resend stop nothing: in pages of one', () =>
  withScene(1, async (scene) => {
    const ids = numbered(4);
    await scene.push(...ids);
    await scene.run();
    const stored = await records(scene.store, 'tickets').find().toArray();
    const again = stored.map(({ _id, position }) => ({ id: _id, position }));
    await releaseForResend(scene.store, { channel: SLUG, entity_type: 'tickets' }, again);
    scene.customer.script = refusing(409, 'T10', 'T11');
    const since = scene.customer.pages.length;
    for (let run = 0; run < 3; run++) await scene.run();
    expect(pagesSince(scene, since)).toEqual(expect.arrayContaining(['T12 200', 'T13 200']));
  }));

test('what is from before a channel that began later is compared with nothing', () =>
  withScene(4, async (scene) => {
    await scene.push('T10');
    await scene.run();
    const markers = scene.store.db.collection<{ _id: string }>('markers');
    await markers.updateOne({ _id: markerId(SLUG, 'tickets') }, { $set: { began: 1 } });
    await scene.push('T11');
    scene.customer.script = refusing(409, 'T11');
    const since = scene.customer.pages.length;
    await scene.run();
    expect([pagesSince(scene, since), await aside(scene)]).toEqual([['T11 409'], []]);
  }));

test('a 410 ends a third delivery at once, and no record is searched for', () =>
  withScene(4, async (scene) => {
    await scene.push(...numbered(4));
    scene.customer.script = () => 500;
    await scene.run();
    await scene.run();
    const since = scene.customer.pages.length;
    scene.customer.script = () => 410;
    const ends = await scene.run();
    expect(ends.map((end) => end.end === 'unconfirmed' && end.unconfirmed.failure)).toEqual(['gone']);
    expect(pagesSince(scene, since)).toHaveLength(1);
  }));

slowTest('how often a page has failed is forgotten where the marker passes it over', () =>
  withScene(4, async (scene) => {
    await scene.push('T10');
    await scene.run();
    await scene.push('T11');
    scene.customer.script = refusing(409, 'T11');
    for (let run = 0; run < 4; run++) await scene.run();
    expect(await aside(scene)).toEqual(['42-T11']);
    expect((await readMarkers(scene.store, SLUG)).get('tickets')).not.toHaveProperty('stumble');
  }),
);
