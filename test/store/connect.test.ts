import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/key-settings';
import { closeStore, connectStore } from '../../store/connect';

/** It connects only when something is asked of it. */
const connect = (uri: string) =>
  connectStore({ uri, secretKey: undefined, customerKeys: DEVELOPMENT_CUSTOMER_KEYS, appName: 'gdx-test' });

test.each([
  ['mongodb://127.0.0.1', 'gdx'],
  ['mongodb://127.0.0.1/', 'gdx'],
  ['mongodb://127.0.0.1/?replicaSet=rs0', 'gdx'],
  ['mongodb://127.0.0.1/grain', 'grain'],
  ['mongodb://gdx:secret@one:27017,two:27017/grain?replicaSet=rs0', 'grain'],
])('%s is the database %s', async (uri, name) => {
  const store = await connect(uri);
  expect(store.db.databaseName).toBe(name);
  await closeStore(store);
});
