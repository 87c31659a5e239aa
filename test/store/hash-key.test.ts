import { addHashKey, dropPreviousHashKey } from '../../store/access/hash-key';
import type { Store } from '../../store/store';
import { countHashedBefore, farmerIdOf, findFarmerId, forgetFarmer } from '../../store/sharing/farmers';
import { emptyStore } from '../setup/open-store';

const [PHONE, OTHER] = ['7015550142', '7015550199'];

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await dropPreviousHashKey(store); // a file's stores may share their keys
});

test('a second exchange waits until the key before is dropped: no farmer is lost to it', async () => {
  const id = await farmerIdOf(store, PHONE);
  expect([await addHashKey(store), await addHashKey(store)]).toEqual([true, false]);
  expect(await findFarmerId(store, PHONE)).toBe(id);
});

test('after each exchange a farmer is hashed anew once, and stays the same', async () => {
  const ids = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
  for (let exchange = 0; exchange < 3; exchange++) {
    expect(await addHashKey(store)).toBe(true);
    expect(await countHashedBefore(store)).toMatchObject({ farmers: 2, before: 2 });
    for (const visit of [1, 2])
      expect([visit, await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)]).toEqual([
        visit,
        ...ids,
      ]);
    expect(await countHashedBefore(store)).toMatchObject({ farmers: 2, before: 0 });
    await dropPreviousHashKey(store);
  }
});

test('one who has not come since the exchange is forgotten, too', async () => {
  await farmerIdOf(store, PHONE);
  const other = await farmerIdOf(store, OTHER);
  await addHashKey(store);
  expect(await forgetFarmer(store, PHONE)).toBe(1);
  expect([await findFarmerId(store, PHONE), await findFarmerId(store, OTHER)]).toEqual([undefined, other]);
});
