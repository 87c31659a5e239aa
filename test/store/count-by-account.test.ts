import { countByAccount } from '../../store/sharing/count-by-account';
import { emptyStore } from '../setup/open-store';
import { putRecords } from '../setup/put-records';

const [HAS, OTHER] = ['42-1001', '42-1002'];

test('records that came after the end of a catch-up are not of its total, nor those that left the account since', async () => {
  const store = await emptyStore();
  const corrected = { account_ids: [OTHER], left_account_ids: [HAS] };
  await putRecords(store, [
    { position: 1 },
    { position: 2, ...corrected },
    { position: 3 },
    { position: 4, ...corrected },
  ]);
  const upTo = (position: number) =>
    store.client.withSession((session) =>
      countByAccount(store, 'tickets', [HAS, OTHER, '42-none'], position, session),
    );
  expect(await upTo(1)).toEqual(new Map([[HAS, 1]]));
  expect(await upTo(2)).toEqual(new Map([[HAS, 2], [OTHER, 1]])); // prettier-ignore
  expect(await upTo(4)).toEqual(new Map([[HAS, 4], [OTHER, 2]])); // prettier-ignore
});
