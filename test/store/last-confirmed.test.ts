import { lastConfirmed } from '../../store/feed/last-confirmed';
import type { Marker } from '../../store/feed/markers';
import { emptyStore } from '../setup/open-store';

test('of all of a channel’s markers the one confirmed last counts; a channel without any is left out', async () => {
  const store = await emptyStore();
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 24, hour));
  const confirmed = (channel: string, type: string, delivered_at: Date | null) =>
    ({ _id: `${channel}/${type}`, channel, delivered_at }) as Marker;
  await store.db
    .collection<Marker>('markers')
    .insertMany([
      confirmed('acme', 'accounts', at(7)),
      confirmed('acme', 'contracts', at(9)),
      confirmed('acme', 'tickets', at(8)),
      confirmed('bison', 'tickets', at(5)),
      confirmed('credit', 'tickets', null),
    ]);
  const channels = ['acme', 'bison', 'credit'].map((_id) => ({ _id }));
  expect(await lastConfirmed(store, channels)).toEqual(
    new Map([
      ['acme', at(9)],
      ['bison', at(5)],
    ]),
  );
});
