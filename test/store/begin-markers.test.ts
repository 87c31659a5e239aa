import { beginMarkers } from '../../store/feed/begin-markers';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { takeEpoch, markerId, readMarkers } from '../../store/feed/markers';
import { openStore } from '../setup/open-store';

let store: Store;

beforeAll(async () => {
  store = await openStore();
});
afterAll(() => closeStore(store));

const position = async () => (await readMarkers(store, 'acme')).get('tickets')?.position;

it('begins a channel where it is told; what an unfinished try left gives way, a marker in use does not', async () => {
  await beginMarkers(store, 'acme', new Map([['tickets', 70]]));
  expect(await position()).toBe(70);
  await beginMarkers(store, 'acme', new Map([['tickets', 0]]));
  expect(await position()).toBe(0);
  await takeEpoch(store, markerId('acme', 'tickets'), 0);
  await beginMarkers(store, 'acme', new Map([['tickets', 70]]));
  expect(await position()).toBe(0);
});
