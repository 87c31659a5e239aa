import { listBacklogs } from '../../store/feed/list-backlogs';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

// What the plans have found, and for how long it has waited: test/metrics/gauges.test.ts.

test('what is left of every account’s catch-up counts', async () => {
  const store = await emptyStore();
  const { channel } = await addTestChannel(store, 'acme', 'https://acme.example', {
    scope: 'subscribed',
    entity_types: ['tickets'],
  });
  const catchUp = (account: string, total: number) => ({
    ...{ channel: 'acme', entity_type: 'tickets', account, total },
    progress: { records: 1 },
  });
  await store.db.collection('markers').insertMany([catchUp('42-7', 5), catchUp('42-8', 3)]);
  expect(await listBacklogs(store, [channel])).toMatchObject([{ entity_type: 'tickets', records: 6 }]);
});
