import { DAY_MS } from '../../domain/time/spans';
import { reachCustomer } from '../../cli/doctor/reach-customer';
import type { Channel } from '../../store/channels/channels';
import { AUTHORITY, OddCustomer } from '../outbound/odd-customer';
import { LOOPBACK } from '../setup/loopback-agent';
import { startProxy } from '../setup/start-proxy';

const ENDS = Date.parse('2120-01-01');
let customer: OddCustomer;
let channel: Channel;
beforeAll(async () => {
  customer = await OddCustomer.start(() => {}, 'good');
  channel = { _id: 'acme', delivery: 'push', base_url: customer.url } as Channel;
});
afterAll(() => customer.stop());
afterEach(() => jest.restoreAllMocks());

const reach = (proxy?: URL) => reachCustomer(channel, { rule: LOOPBACK, ca: AUTHORITY, proxy });

test('a customer is well whose certificate holds; nothing is sent to it', async () => {
  expect(await reach()).toMatchObject({
    part: 'customer acme',
    status: 'ok',
    finding: expect.stringMatching(
      new RegExp(`^takes connections on port ${customer.port}, certificate good for \\d{5} days$`),
    ),
  });
  expect(customer.spoken).toBe(0);
});

test('the certificate is read through the outbound proxy too', async () => {
  const proxy = await startProxy();
  const found = await reach(proxy.url);
  await proxy.stop();
  expect(found).toMatchObject({ status: 'ok', finding: expect.stringMatching(/certificate good for/) });
  expect(proxy.asked).toEqual([expect.stringContaining(`CONNECT 127.0.0.1:${customer.port} `)]);
});

test('a certificate is to be renewed in its last fourteen days', async () => {
  jest.spyOn(Date, 'now').mockReturnValue(ENDS - 13 * DAY_MS);
  expect(await reach()).toMatchObject({
    status: 'warn',
    finding: 'its certificate ends in 13 days',
    fix: 'remind the customer to renew it',
  });
});
