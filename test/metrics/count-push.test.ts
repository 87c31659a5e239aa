import { countPush, countPushRecords } from '../../metrics/count-push';
import { registry } from '../../metrics/instruments';
import { readPage, valueOf } from './page';

test('changed and unchanged records are counted apart, and answers by their status', async () => {
  countPushRecords({ changed: 3, unchanged: 2 });
  countPushRecords({ changed: 1, unchanged: 0 });
  for (const status of [204, 422, 204]) countPush(status);
  const samples = readPage(await registry.metrics());
  const ofRecords = (status: string) => valueOf(samples, 'gdx_push_records', { status });
  const ofPushes = (status: string) => valueOf(samples, 'gdx_pushes', { status });
  expect([ofRecords('changed'), ofRecords('unchanged')]).toEqual([4, 2]);
  expect([ofPushes('204'), ofPushes('422')]).toEqual([2, 1]);
});
