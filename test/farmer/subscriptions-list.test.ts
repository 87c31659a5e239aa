import { endDays } from '../../domain/grant-end';
import { expectError } from '../api/start-api';
import {
  accountsOf,
  addFarmersChannel,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { slowTest } from '../setup/cases';

let farmers: Farmers;
let bankKey: string;

beforeAll(async () => {
  farmers = await startFarmers();
  bankKey = (await addFarmersChannel(farmers, 'bank')).apiKey;
  await pushAccounts(farmers, [
    ...accountsOf(PHONE, 2),
    { id: '3', name: 'Both', phones: [{ phone: PHONE }, { phone: OTHER_PHONE }] },
  ]);
  await share({ partner_id: 'policy-1' }, ['42-1', '42-3']);
  await share({ partner_id: 'policy 2&' }, ['42-2']);
  await share({ partner_id: 'policy-1', phone: OTHER_PHONE }, ['42-3']);
});
afterAll(() => farmers.stop());

async function share(link: Record<string, string>, account: string[], ends_on = ''): Promise<void> {
  const visitor = await farmers.verified(link);
  await visitor.submit({ account, ends_on });
  await visitor.submit({ do: 'save' });
}

const ask = (query = '', token = farmers.apiKey) =>
  farmers.ask('GET', `/api/v1/channels/acme/subscriptions${query}`, { token });

test('what is shared now, an account once for each partner_id', async () => {
  const { json } = await ask();
  const since = expect.stringMatching(/^\d{4}-.*Z$/);
  const ends_at = null;
  expect(json).toEqual({
    data: [
      {
        account: { id: '42-1', remote_id: '1', name: 'Meyer Farms 1' },
        partner_id: 'policy-1',
        since,
        ends_at,
      },
      { account: { id: '42-3', remote_id: '3', name: 'Both' }, partner_id: 'policy-1', since, ends_at },
      {
        account: { id: '42-2', remote_id: '2', name: 'Meyer Farms 2' },
        partner_id: 'policy 2&',
        since,
        ends_at,
      },
    ],
  });
});

test('of one partner_id', async () => {
  const { json } = await ask(`?partner_id=${encodeURIComponent('policy 2&')}`);
  expect(json.data.map((one: { account: { id: string } }) => one.account.id)).toEqual(['42-2']);
  expect((await ask('?partner_id=none')).json).toEqual({ data: [] });
  expectError(await ask('?partner_id=a&partner_id=b'), 422, 'VALIDATION_ERROR');
});

slowTest(
  'two farmers who share one account: from the first of them to the last, without an end while one has named none; each partner_id apart',
  async () => {
    const ofBoth = { partner_id: 'two farmers' };
    const ends = async () => {
      const { json } = await ask(`?partner_id=${encodeURIComponent(ofBoth.partner_id)}`);
      return json.data.map(({ ends_at }: { ends_at: string | null }) => ends_at);
    };
    const { first, last } = endDays(new Date());
    await share(ofBoth, ['42-3'], first);
    await share({ ...ofBoth, phone: OTHER_PHONE }, ['42-3']);
    expect(await ends()).toEqual([null]);
    const both = await farmers.store.db
      .collection<{ since: Date }>('subscriptions')
      .find({ partner_id: ofBoth.partner_id })
      .sort({ since: 1 })
      .toArray();
    expect(both[1]!.since.getTime()).toBeGreaterThan(both[0]!.since.getTime());
    const ofAccount = (await ask()).json.data.filter(
      (one: { account: { id: string } }) => one.account.id === '42-3',
    );
    expect(ofAccount).toMatchObject([
      { partner_id: 'policy-1' },
      { partner_id: ofBoth.partner_id, since: both[0]!.since.toISOString() },
    ]);
    await share({ ...ofBoth, phone: OTHER_PHONE }, ['42-3'], last);
    expect(await ends()).toEqual([new Date(Date.parse(last) + 24 * 3_600_000).toISOString()]);
    await share({ ...ofBoth, phone: OTHER_PHONE }, []);
    await share(ofBoth, []);
  },
);

test('only to the channel itself', async () => {
  expectError(await ask('', bankKey), 404, 'NOT_FOUND');
  expectError(await ask('', 'nothing'), 401, 'UNAUTHENTICATED');
});
