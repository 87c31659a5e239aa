import { listGranted } from '../../store/consent/subscriptions';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { openStore } from '../setup/open-store';
import { accountsOf, PHONE, pushAccounts, startFarmers } from './start-farmers';
import { textOf } from './visitor';

test('a save that takes long goes on behind a page that says so', async () => {
  const store = await openStore();
  const halt = stopHere();
  const slow = rewire(store, async ({ collection, method, run }) => {
    if (collection === 'subscriptions' && method === 'insertMany') await halt.here();
    return run();
  });
  const farmers = await startFarmers({ store: slow });
  await pushAccounts(farmers, accountsOf(PHONE, 1));
  const visitor = await farmers.verified();
  await visitor.submit({ account: '42-1' });
  const { path, html } = await visitor.submit({ do: 'save' });
  expect([path, textOf(html)]).toEqual([
    '/subscriptions/done',
    expect.stringContaining('Your choices are being saved'),
  ]);
  expect(await listGranted(store, 'acme')).toEqual([]);
  halt.goOn();
  await eventually(async () => {
    expect(textOf((await visitor.get('/subscriptions/done')).html)).toContain('Your choices are saved');
  });
  expect(await listGranted(store, 'acme')).toHaveLength(1);
});
