import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
  await addFarmersChannel(farmers, 'other');
  await pushAccounts(farmers, accountsOf(PHONE, 1));
});
afterAll(() => farmers.stop());
beforeEach(async () => {
  for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
});

const stored = (name: string) => farmers.store.db.collection(name).countDocuments();
const open = (link: string, address = '203.0.113.9') =>
  farmers.ask('GET', link, { headers: { 'x-forwarded-for': address } });

/** As if so many links had been opened already. */
async function opened(count: number): Promise<void> {
  expect((await open(linkTo())).status).toBe(303);
  await farmers.store.db.collection('attempt_counts').updateMany({}, { $set: { points: count } });
}

test('a link that does not work leaves nothing behind', async () => {
  for (const link of [linkTo({ phone: 'x' }), linkTo({ partner_slug: 'nobody' }), '/subscriptions'])
    expect([link, (await open(link)).status]).toEqual([link, 400]);
  expect([await stored('sessions'), await stored('attempt_counts')]).toEqual([0, 0]);
});

test('nor does a cookie that opens nothing', async () => {
  for (const path of ['/subscriptions/code', '/subscriptions/leave', '/subscriptions/accounts'])
    await farmers.ask('GET', path, { headers: { cookie: `gdx=${'a'.repeat(43)}` } });
  expect([await stored('sessions'), await stored('attempt_counts')]).toEqual([0, 0]);
});

describe('links that work', () => {
  test('600 of one address open a session in ten minutes, and no more', async () => {
    await opened(600);
    const before = await stored('sessions');
    const answer = await open(linkTo());
    expect([answer.status, Number(answer.headers['retry-after'])]).toEqual([429, expect.closeTo(600, -1)]);
    expect(await stored('sessions')).toBe(before);
    const counts = await farmers.store.db.collection('attempt_counts').find().toArray();
    expect(counts.map(({ points }) => points as number).sort()).toEqual([600, 601]); // the channel's stays
    expect((await open(linkTo(), '203.0.113.10')).status).toBe(303);
  });

  test('and as many without a link, to see who gets one’s data', async () => {
    expect((await open('/sharing')).status).toBe(303);
    await farmers.store.db.collection('attempt_counts').updateMany({}, { $set: { points: 600 } });
    const before = await stored('sessions');
    expect((await open('/sharing')).status).toBe(429);
    expect(await stored('sessions')).toBe(before);
    expect((await open('/sharing', '203.0.113.10')).status).toBe(303);
  });

  test('of the address that the proxy has seen, whatever the caller writes before it', async () => {
    await opened(600);
    expect((await open(linkTo(), '203.0.113.10, 203.0.113.9')).status).toBe(429);
  });

  test('10,000 of one channel, and another channel has its own', async () => {
    await opened(10_000);
    expect((await open(linkTo(), '203.0.113.11')).status).toBe(429);
    expect((await open(linkTo({ partner_slug: 'other' }), '203.0.113.12')).status).toBe(303);
  });
});
