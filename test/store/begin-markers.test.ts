import { randomBytes } from 'node:crypto';
import { beginMarkers } from '../../store/begin-markers';
import { closeStore, connectStore, type Store } from '../../store/connect';
import { beginAttempt, markerId, readMarkers } from '../../store/markers';

let store: Store;

beforeAll(async () => {
  const uri = new URL(process.env.MONGODB_URI as string);
  uri.pathname = `/gdx_begin_${randomBytes(6).toString('hex')}`;
  store = await connectStore({ uri: uri.href, secretKey: randomBytes(32), appName: 'gdx-test' });
});

afterAll(async () => {
  await store.db.dropDatabase();
  await closeStore(store);
});

const position = async () => (await readMarkers(store, 'acme')).get('tickets')?.position;

it('begins a channel where it is told; what an unfinished try left gives way, a marker in use does not', async () => {
  await beginMarkers(store, 'acme', new Map([['tickets', 70]]));
  expect(await position()).toBe(70);
  await beginMarkers(store, 'acme', new Map([['tickets', 0]]));
  expect(await position()).toBe(0);
  await beginAttempt(store, markerId('acme', 'tickets'), 0);
  await beginMarkers(store, 'acme', new Map([['tickets', 70]]));
  expect(await position()).toBe(0);
});
