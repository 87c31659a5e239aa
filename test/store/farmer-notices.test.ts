import { MongoServerError } from 'mongodb';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY } from '../../store/unavailable';
import {
  endBegun,
  endYear,
  eraseNotices,
  FarmerErased,
  farmerNotices,
  freeTaken,
  giveBack,
  listBegun,
  listTaken,
  noteBegun,
  takeBegun,
  takeYear,
} from '../../store/sharing/farmer-notices';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const granted = (channel: string, through = store) =>
  store.client.withSession((session) => noteBegun(through, 'dale', { channel, language: 'en' }, session));
const kept = () => farmerNotices(store).findOne({ _id: 'dale' });

test('what is granted while a text is on its way is told by the next one', async () => {
  await granted('acme');
  const taken = (await takeBegun(store, 'dale', 'one'))!;
  await granted('bank');
  expect([await takeBegun(store, 'dale', 'other'), await takeYear(store, 'dale', 1, 'other')]).toEqual([
    null,
    null,
  ]);
  await endBegun(store, taken);
  expect(await listBegun(store, false)).toEqual(['dale']);
  expect((await takeBegun(store, 'dale', 'other'))?.begun).toEqual(['bank']);
});

test('only who was erased is taken for erased, and not whoever is first told of by two at once', async () => {
  const taken = new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
  const first = rewire(store, ({ method, run }) => (method === 'updateOne' ? Promise.reject(taken) : run()));
  await expect(granted('acme', first)).rejects.toBe(taken);
  await eraseNotices(store, 'dale');
  await expect(granted('acme')).rejects.toThrow(FarmerErased);
  expect(await kept()).toEqual({ _id: 'dale', erased: true });
});

test('who was taken for dead and comes back takes nothing from whoever sends now', async () => {
  await granted('acme');
  const late = (await takeBegun(store, 'dale', 'late'))!;
  await freeTaken(store, 'dale', 'late');
  await takeBegun(store, 'dale', 'now');
  await freeTaken(store, 'dale', 'late'); // by another process, which has seen it later
  await endBegun(store, late);
  await endYear(store, late, 1);
  await giveBack(store, late);
  expect(await listTaken(store)).toEqual(new Map([['dale', 'now']]));
  expect(await kept()).toMatchObject({ begun: ['acme'], years: [], tries: 0 });
});

test('the years are counted from what was shared first, however often more is', async () => {
  await granted('acme');
  const from = new Date('2024-11-01T00:00:00Z');
  await farmerNotices(store).updateOne({ _id: 'dale' }, { $set: { from, years: [1] } });
  await granted('bank');
  expect(await kept()).toMatchObject({ from, years: [1], begun: ['acme', 'bank'] });
});

test('texts that have failed keep no later one from being sent', async () => {
  const fail = async () => giveBack(store, (await takeBegun(store, 'dale', 'one'))!);
  await granted('acme');
  await fail();
  expect(await listBegun(store, false)).toEqual([]);
  await granted('bank');
  expect(await listBegun(store, false)).toEqual(['dale']);
  await fail();
  await endBegun(store, (await takeBegun(store, 'dale', 'one'))!);
  expect(await kept()).toMatchObject({ tries: 0 });
  await giveBack(store, (await takeYear(store, 'dale', 1, 'one'))!);
  await endYear(store, (await takeYear(store, 'dale', 1, 'one'))!, 1);
  expect(await kept()).toMatchObject({ tries: 0, years: [1] });
});
