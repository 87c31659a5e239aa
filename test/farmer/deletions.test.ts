import { getSubscriptions } from '../../api/customer/get-subscriptions';
import type { ChannelContext, Deps } from '../../api/http/route';
import { askDeletions } from '../../control/ask-deletions';
import { eraseFarmer } from '../../control/erase-farmer';
import { findChannel } from '../../store/channels/channels';
import { confirmDeletion } from '../../store/sharing/deletions';
import { rewire } from '../commit-order/rewire';
import { consents } from '../../store/consent/consents';
import { subscriptions } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import { expectError, hearingSignals } from '../api/start-api';
import { accountsOf, type Farmers, OTHER_PHONE, PHONE, pushAccounts, startFarmers } from './start-farmers';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await farmers.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: 'acme' }, { $set: { notify_url: 'https://acme.example/hook' } });
  await pushAccounts(farmers, [
    ...accountsOf(PHONE, 6),
    { id: '9', name: 'Both', phones: [{ phone: PHONE }, { phone: OTHER_PHONE }] },
  ]);
});

const stop = async (account: string, link: Record<string, string>) => {
  const visitor = await farmers.share([account], link);
  await visitor.get('/sharing/customers');
  await visitor.submit({ stop: `acme/${account}` });
  return visitor;
};
const SUBSCRIPTIONS = '/api/v1/channels/acme/subscriptions';
const ask = (path: string) => farmers.ask('GET', path, { token: farmers.apiKey });
const confirm = (account: unknown) =>
  farmers.ask('POST', '/api/v1/channels/acme/deletions', { token: farmers.apiKey, body: { account } });
const seen = async (visitor: Awaited<ReturnType<typeof stop>>) => {
  await visitor.get('/sharing/customers');
  return visitor.text;
};
const acts = async (partner_id: string) =>
  (await consents(farmers.store).find({ partner_id }).sort({ number: 1 }).toArray())
    .map(({ act }) => act)
    .filter((act) => act !== 'refusal');
const notices = () =>
  farmers.store.db.collection<{ type: string; data: { delete?: string[] } }>('customer_notices');

test('shared again while the customer says that it has deleted it: it reads that the account is shared', async () => {
  const link = { partner_id: 'meanwhile' };
  await pushAccounts(farmers, accountsOf(PHONE, 1, 77));
  await stop('42-77', link);
  let reads = 0;
  const through = rewire(farmers.store, async ({ collection, method, run }) => {
    if (collection === 'subscriptions' && method.startsWith('find') && ++reads === 2)
      await farmers.share(['42-77'], link);
    return run();
  });
  const channel = (await findChannel(farmers.store, 'acme'))!;
  expect(await confirmDeletion(through, channel, '42-77', 'test')).toBe('shared');
});

test.each(['notice', 'list'])(
  'shared and stopped again while a request by %s is written down: the new one was not offered',
  async (by) => {
    const link = { partner_id: `again-${by}` };
    await pushAccounts(farmers, accountsOf(PHONE, 1, 78));
    await stop('42-78', link);
    await notices().updateMany({}, { $set: { sent_at: new Date(), next_at: null } });
    let isAgain = false;
    const through = rewire(farmers.store, async ({ collection, method, run }) => {
      if (!isAgain && collection === 'subscriptions' && method === 'findOne') {
        isAgain = true;
        await stop('42-78', link);
      }
      return run();
    });
    if (by === 'notice') await askDeletions(through);
    else {
      const state = { channel: (await findChannel(farmers.store, 'acme'))!, requestId: 'test' };
      const ctx = {
        state,
        query: { ended: 'true', partner_id: link.partner_id },
      } as unknown as ChannelContext;
      await getSubscriptions(ctx, { store: through } as Deps);
    }
    expect(await acts(`again-${by}`)).toEqual(['grant', 'revoke', 'grant', 'revoke']);
  },
);

test('a stop asks for deletion by notice: asked once that is taken, confirmed once the customer says so, and the ledger keeps both', async () => {
  const visitor = await stop('42-1', { partner_id: 'by-notice' });
  expect(visitor.text).toMatch(/We ask Acme Crop Insurance to delete what it has/);
  expect(await seen(visitor)).not.toMatch(/offered|told us/);
  const revoked = { type: 'accounts.revoked', 'data.partner_id': 'by-notice' } as object;
  expect(await notices().findOne(revoked)).toMatchObject({ data: { delete: ['42-1'] } });
  await askDeletions(farmers.store); // it is not taken yet
  expect(await acts('by-notice')).toEqual(['grant', 'revoke']);
  await notices().updateMany({}, { $set: { sent_at: new Date(), next_at: null } });
  for (let round = 0; round < 2; round++) await askDeletions(farmers.store);
  expect(await seen(visitor)).toMatch(
    /Our request to delete what it has was offered to it on \w+ \d+, \d{4}\. No answer yet\./,
  );
  const [first, again] = [await confirm('42-1'), await confirm('42-1')];
  expect([first.status, again.json]).toEqual([200, first.json]);
  expect(await seen(visitor)).toMatch(
    /On \w+ \d+, \d{4} Acme Crop Insurance told us that it has deleted it\. We cannot check that\./,
  );
  expect(await acts('by-notice')).toEqual(['grant', 'revoke', 'deletion_asked', 'deletion_confirmed']);
  expect(await verifyConsents(farmers.store, 'acme')).toMatchObject({ ok: true });
});

test('whoever calls for the list of what has ended is offered it, read or not; who confirms what was never asked was too', async () => {
  const visitor = await stop('42-2', { partner_id: 'by-list' });
  await notices().deleteMany({});
  await askDeletions(farmers.store); // the notice is gone: only the list can tell
  const list = `${SUBSCRIPTIONS}?ended=true`;
  expect((await farmers.ask('HEAD', list, { token: farmers.apiKey })).status).toBe(200);
  expect(await acts('by-list')).toEqual(['grant', 'revoke']); // an answer to HEAD has no list
  const ended = async () => (await ask(`${SUBSCRIPTIONS}?ended=true&partner_id=by-list`)).json.data;
  expect(await ended()).toMatchObject([{ account: { id: '42-2' }, delete: true, confirmed_at: null }]);
  await ended();
  expect(await acts('by-list')).toEqual(['grant', 'revoke', 'deletion_asked']);
  // Nobody knows whether its answer came to be read.
  expect(await seen(visitor)).toContain('was offered to it on');
  expect(visitor.text).not.toMatch(/Asked on|asked it/);
  await confirm('42-2');
  expect(await ended()).toMatchObject([{ delete: true, confirmed_at: expect.any(String) }]);
  await stop('42-3', { partner_id: 'unasked' });
  await confirm('42-3');
  expect(await acts('unasked')).toEqual(['grant', 'revoke', 'deletion_asked', 'deletion_confirmed']);
  expectError(await ask(`${SUBSCRIPTIONS}?ended=yes`), 422, 'VALIDATION_ERROR');
});

test('what another link or person still shares is not asked for, and nobody confirms it; after the last one it is', async () => {
  await farmers.share(['42-9'], { partner_id: 'theirs', phone: OTHER_PHONE });
  const visitor = await farmers.share(['42-9'], { partner_id: 'mine' });
  await visitor.get('/subscriptions/accounts');
  await visitor.save({ account: [] }); // by its link, which stops nothing of another phone
  expect(await seen(visitor)).toContain(
    'still gets this account through another link or person, so we do not ask it to delete it',
  );
  const { json } = await ask(`${SUBSCRIPTIONS}?ended=true&partner_id=mine`);
  expect(json.data).toMatchObject([{ account: { id: '42-9' }, delete: false }]);
  expectError(await confirm('42-9'), 409, 'ACCOUNT_SHARED');
  const other = await farmers.verified({ partner_id: 'theirs', phone: OTHER_PHONE });
  await other.get('/sharing/customers');
  await other.submit({ stop: 'acme' });
  expect((await confirm('42-9')).status).toBe(200);
  expect([await acts('mine'), await acts('theirs')]).toEqual([
    ['grant', 'revoke', 'deletion_asked', 'deletion_confirmed'],
    ['grant', 'revoke', 'deletion_asked', 'deletion_confirmed'],
  ]);
});

test('shared again, nothing is asked any more, and a later stop asks anew', async () => {
  await stop('42-4', { partner_id: 'again' });
  await confirm('42-4');
  await farmers.share(['42-4'], { partner_id: 'again' });
  expectError(await confirm('42-4'), 409, 'ACCOUNT_SHARED');
  const visitor = await stop('42-4', { partner_id: 'again' });
  expect(visitor.text).toContain(
    'You have stopped sharing Meyer Farms 4 with Acme Crop Insurance. Reference: ',
  );
  const row = visitor.page.html.split('<li>').find((one) => one.includes('<b>Meyer Farms 4'));
  expect(row).toContain('Not shared since');
  expect(row).not.toContain('told us');
  expect(await acts('again')).toEqual([
    ...['grant', 'revoke', 'deletion_asked', 'deletion_confirmed'],
    ...['grant', 'revoke'],
  ]);
  await farmers.share(['42-4'], { partner_id: 'another' });
  const asked = { account: '42-4', deletion: { $ne: null } };
  expect(await subscriptions(farmers.store).countDocuments(asked)).toBe(0);
});

test('what is no account, or was never shared with the customer, is refused by name', async () => {
  for (const account of [undefined, 7, '', '42-none', '42-6'])
    expectError(await confirm(account), 422, 'VALIDATION_ERROR');
});

test('an account that is declined again and again is refused once, whatever was asked of it', async () => {
  await stop('42-5', { partner_id: 'declined' });
  await confirm('42-5');
  const visitor = await farmers.verified({ partner_id: 'declined' });
  const refusals = () => consents(farmers.store).countDocuments({ partner_id: 'declined', act: 'refusal' });
  const before = await refusals();
  await visitor.save({ account: ['42-6'] });
  expect(await refusals()).toBe(before);
});

describe('of a farmer who is erased', () => {
  const ERASED = '7015550160';
  const erase = (phone = ERASED) =>
    eraseFarmer({ store: farmers.store, temporal: hearingSignals().temporal }, phone, {
      reason: 'letter',
      request_id: 'test',
    });
  const endedOf = async (id: string) =>
    (await ask(`${SUBSCRIPTIONS}?ended=true`)).json.data.filter(
      ({ account }: { account: { id: string } }) => account.id === id,
    );
  const actsOn = async (account: string) =>
    (await consents(farmers.store).find({ account }).sort({ number: 1 }).toArray())
      .map(({ act }) => act)
      .filter((act) => act !== 'refusal');

  test('what an erasure ends is asked for by its notice and in the list, without whose it was, and can be confirmed', async () => {
    await pushAccounts(farmers, accountsOf(ERASED, 1, 20));
    await farmers.share(['42-20'], { partner_id: 'to-erase', phone: ERASED });
    expect(await erase()).toMatchObject({ revoked: 1, subscriptions: 1 });
    const revoked = { type: 'accounts.revoked', 'data.accounts': '42-20' } as object;
    expect(await notices().findOne(revoked)).toMatchObject({ data: { partner_id: '', delete: ['42-20'] } });
    await notices().updateMany({}, { $set: { sent_at: new Date(), next_at: null } });
    await askDeletions(farmers.store);
    expect(await actsOn('42-20')).toEqual(['grant', 'revoke', 'deletion_asked']);
    expect(await endedOf('42-20')).toMatchObject([{ partner_id: '', delete: true, confirmed_at: null }]);
    const [first, again] = [await confirm('42-20'), await confirm('42-20')];
    expect([first.status, again.json]).toEqual([200, first.json]);
    expect((await actsOn('42-20')).at(-1)).toBe('deletion_confirmed');
    expect(await verifyConsents(farmers.store, 'acme')).toMatchObject({ ok: true });
  });

  test('what was asked before stays asked, and what was confirmed stays confirmed', async () => {
    await pushAccounts(farmers, accountsOf(ERASED, 2, 21));
    for (const account of ['42-21', '42-22']) await stop(account, { partner_id: 'asked', phone: ERASED });
    await ask(`${SUBSCRIPTIONS}?ended=true`);
    const { json: confirmed } = await confirm('42-22');
    await erase();
    expect(await endedOf('42-21')).toMatchObject([{ partner_id: '', delete: true, confirmed_at: null }]);
    expect((await confirm('42-22')).json).toEqual(confirmed);
    expect((await confirm('42-21')).status).toBe(200);
    const asked = ['grant', 'revoke', 'deletion_asked', 'deletion_confirmed'];
    expect([await actsOn('42-21'), await actsOn('42-22')]).toEqual([asked, asked]);
  });

  test('what somebody shares after it is no longer asked for, nor does the erased farmer’s come back with the next stop', async () => {
    const both = [{ phone: ERASED }, { phone: OTHER_PHONE }];
    await pushAccounts(farmers, [{ id: '23', name: 'Theirs', phones: both }]);
    await farmers.share(['42-23'], { partner_id: 'first', phone: ERASED });
    await erase();
    expect(await endedOf('42-23')).toMatchObject([{ delete: true }]);
    await farmers.share(['42-23'], { partner_id: 'second', phone: OTHER_PHONE });
    expect(await endedOf('42-23')).toEqual([]);
    expectError(await confirm('42-23'), 409, 'ACCOUNT_SHARED');
    const other = await farmers.verified({ partner_id: 'second', phone: OTHER_PHONE });
    await other.get('/sharing/customers');
    await other.submit({ stop: 'acme/42-23' });
    expect(await endedOf('42-23')).toMatchObject([{ partner_id: 'second', delete: true }]);
  });

  test('what another tells the customer under the same partner_id keeps it', async () => {
    const both = [{ phone: ERASED }, { phone: OTHER_PHONE }];
    await pushAccounts(farmers, [{ id: '25', name: 'Theirs', phones: both }]);
    await pushAccounts(farmers, accountsOf(ERASED, 1, 26));
    await farmers.share(['42-25', '42-26'], { partner_id: 'couple', phone: ERASED });
    await notices().deleteMany({});
    await farmers.share(['42-25'], { partner_id: 'couple', phone: OTHER_PHONE });
    await erase();
    const told = await notices().find().sort({ _id: 1 }).toArray();
    expect(told.map(({ type, data }) => [type, data])).toMatchObject([
      ['accounts.granted', { partner_id: 'couple', accounts: ['42-25'] }],
      [
        'accounts.revoked',
        { partner_id: '', accounts: expect.arrayContaining(['42-25', '42-26']), delete: ['42-26'] },
      ],
    ]);
  });

  test('of an account that another still shares nothing is asked, and its last stop asks once', async () => {
    const both = [{ phone: ERASED }, { phone: OTHER_PHONE }];
    await pushAccounts(farmers, [{ id: '24', name: 'Theirs', phones: both }]);
    await farmers.share(['42-24'], { partner_id: 'first', phone: ERASED });
    await farmers.share(['42-24'], { partner_id: 'second', phone: OTHER_PHONE });
    await erase();
    expect(await endedOf('42-24')).toEqual([]);
    await erase(OTHER_PHONE);
    expect(await endedOf('42-24')).toMatchObject([{ partner_id: '', delete: true }]);
  });
});
