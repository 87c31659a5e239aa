import { records } from '../../store/push/records';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

// What a customer learns of a record that is corrected from one account to another, or that names several (docs/contract.md C18).
let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});
afterEach(() => scene.close());

const ticketsSince = (since: number) =>
  scene.customer.pages
    .slice(since)
    .filter(({ entityType }) => entityType === 'tickets')
    .flatMap((page) => page.records);

const left = async (id: string) =>
  (await records(scene.store, 'tickets').findOne({ _id: accountId(id) }))?.left_account_ids;

test('a ticket corrected to an account that is not shared goes out once more, as deleted, and nothing else of it', async () => {
  await scene.grant('1001');
  await scene.pushTickets({ 'T-1': ['1001'] });
  await scene.run();
  await scene.pushTickets({ 'T-1': ['1002'] }, 'of somebody else');
  const since = scene.customer.pages.length;
  await scene.run();
  const [told, ...more] = ticketsSince(since);
  expect(more).toEqual([]);
  expect(Object.keys(told!)).toEqual(['id', 'remote_id', 'company', 'updated_at', 'deleted_at']);
  expect(told).toMatchObject({ id: '42-T-1', deleted_at: told!.updated_at });

  await scene.pushTickets({ 'T-1': ['1001'] }, 'corrected back');
  await scene.run();
  expect(ticketsSince(since).at(-1)).toMatchObject({ note: 'corrected back', account: { id: '42-1001' } });
});

test('so it does where the account is granted anew: its customer may have the ticket from before', async () => {
  await scene.grant('1001');
  await scene.pushTickets({ 'T-1': ['1001'] });
  await scene.run();
  await scene.revoke('1001');
  await scene.pushTickets({ 'T-1': ['1002'] });
  await scene.run();
  await scene.grant('1001');
  const since = scene.customer.pages.length;
  await scene.run();
  expect(ticketsSince(since)).toMatchObject([{ id: '42-T-1', deleted_at: expect.any(String) }]);
  expect(scene.customer.pages.at(-1)!.meta).toMatchObject({ total_count: 1, page_count: 1 });
});

test('a ticket remembers the accounts it has left until it comes back to them', async () => {
  await scene.pushTickets({ 'T-1': ['1001', '1002'] });
  expect(await left('T-1')).toBeUndefined();
  await scene.pushTickets({ 'T-1': ['1001'] });
  expect(await left('T-1')).toEqual(['42-1002']);
  await scene.pushTickets({ 'T-1': ['1001'] }, 'another note');
  expect(await left('T-1')).toEqual(['42-1002']);
  await scene.pushTickets({ 'T-1': ['1003'] });
  expect(await left('T-1')).toEqual(['42-1002', '42-1001']);
  await scene.pushTickets({ 'T-1': ['1001', '1002', '1003'] });
  expect(await left('T-1')).toBeUndefined();
});

test('a split ticket names the shared account only, in windows and in catch-ups', async () => {
  await scene.pushTickets({ 'T-1': ['1001', '1002'] });
  await scene.run();
  await scene.grant('1001');
  await scene.run();
  await scene.pushTickets({ 'T-2': ['1002', '1001'] });
  await scene.run();
  const own = { account: { id: '42-1001', remote_id: '1001' }, split_percent: 50 };
  expect(ticketsSince(0).map(({ splits }) => splits)).toEqual([
    [own, null],
    [null, own],
  ]);
  await scene.grant('1002');
  const since = scene.customer.pages.length;
  await scene.run();
  expect(ticketsSince(since).map(({ splits }) => (splits as unknown[]).includes(null))).toEqual([
    false,
    false,
  ]);
});
