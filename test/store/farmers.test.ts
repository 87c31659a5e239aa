import { addHashKey, dropPreviousHashKey } from '../../store/access/hash-key';
import { countHashedBefore, farmerIdOf, findFarmerId, forgetFarmer } from '../../store/sharing/farmers';
import type { Store } from '../../store/store';
import { openStore } from '../setup/open-store';
import { closeStore } from '../../store/connect';

const [PHONE, OTHER] = ['7015550142', '7015550199'];

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => closeStore(store));

test('a farmer keeps the id over two exchanges of the key, as they come once after each', async () => {
  const id = await farmerIdOf(store, PHONE);
  const absent = await farmerIdOf(store, OTHER);
  for (let exchange = 1; exchange <= 2; exchange++) {
    expect(await addHashKey(store)).toBe(true);
    expect(await addHashKey(store)).toBe(false); // two are in use
    expect([await findFarmerId(store, PHONE), await farmerIdOf(store, PHONE)]).toEqual([id, id]);
    expect(await countHashedBefore(store)).toMatchObject({ before: 1, farmers: 2 });
    await dropPreviousHashKey(store);
    expect(await findFarmerId(store, OTHER)).toBeUndefined(); // did not come
  }
  expect(await farmerIdOf(store, OTHER)).not.toBe(absent);
});

test('a farmer is forgotten by the key of before, too', async () => {
  const id = await farmerIdOf(store, PHONE);
  await addHashKey(store);
  expect(await forgetFarmer(store, PHONE)).toBe(1);
  expect(await farmerIdOf(store, PHONE)).not.toBe(id);
});
