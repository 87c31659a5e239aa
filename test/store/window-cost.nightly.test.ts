import type { Store } from '../../store/store';
import { findInWindow } from '../../store/window/window';
import { countSubscribed } from '../bench/count-subscribed';
import { openBenchStore } from '../bench/open-bench-store';
import { markOf } from '../bench/row';
import { putRecords } from '../setup/put-records';

let store: Store;

beforeEach(async () => {
  store = await openBenchStore(process.env.MONGODB_URI!, { monitored: true });
});

test('a plan and its pages cost what is the channel’s, whatever others have changed', async () => {
  const rows = await countSubscribed(store, { accounts: 50, others: 20_000 });
  expect(rows).toHaveLength(6);
  expect(rows.filter((row) => markOf(row) === 'BROKEN')).toEqual([]);
});

test('a count ends with the piece under way when it is cancelled', async () => {
  const upTo = 100_000_000;
  await putRecords(store, [{ position: 1_000_000 }, { position: upTo }]);
  const cancelled = new AbortController();
  let counted = 0;
  const cancel = ({ commandName }: { commandName: string }) => {
    if (commandName === 'aggregate' && ++counted === 3) cancelled.abort(new Error('no longer wanted'));
  };
  store.client.on('commandStarted', cancel);
  const everything = { companies: [], shared: undefined };
  const { signal } = cancelled;
  const finding = findInWindow(store, 'tickets', { after: 0, upTo }, everything, { signal });
  await expect(finding).rejects.toThrow('no longer wanted');
  expect(counted).toBe(3);
  store.client.off('commandStarted', cancel);
});
