import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { loopbackAgent } from '../setup/loopback-agent';
import { ActivityWorker } from '../setup/activity-worker';
import { FakeCustomer } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import type { CustomerAgent } from '../../outbound/create-agent';
import {
  accountsOf,
  addFarmersChannel,
  fails,
  sent,
  type Farmers,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
} from './start-farmers';
import type { Visitor } from './visitor';

let farmers: Farmers;
let customer: FakeCustomer;
let agent: CustomerAgent;
let worker: ActivityWorker;

beforeAll(async () => {
  farmers = await startFarmers();
  customer = await FakeCustomer.start();
  agent = loopbackAgent();
  await addFarmersChannel(farmers, 'insurer', { base_url: customer.baseUrl });
  worker = new ActivityWorker('insurer', { store: farmers.store, agent, customer });
  await pushAccounts(farmers, [
    ...accountsOf(PHONE, 2),
    { id: '8', name: 'Neighbour', phones: [{ phone: OTHER_PHONE }] },
  ]);
  const tickets = [
    { id: 'T-1', account_id: '1', load_number: 'a' },
    {
      id: 'T-2',
      splits: [
        { account_id: '1', split_percent: 50 },
        { account_id: '8', split_percent: 50 },
      ],
    },
    { id: 'T-3', account_id: '2' },
    { id: 'T-4', account_id: '8' },
  ];
  await pushRecords(farmers.store, { tickets });
});
beforeEach(() => farmers.forgetAttempts());

const COPY = '/sharing/copy';
const share = (account: string, phone: string, more = {}) =>
  farmers.share([account], { partner_slug: 'insurer', partner_id: account, phone }, more);

/** As far as the page with the code. */
async function asked(visitor: Visitor, copy = 'insurer'): Promise<string> {
  await visitor.get('/sharing/customers');
  await visitor.submit({ copy });
  expect(visitor.at).toBe(`200 ${COPY}`);
  await farmers.store.db.collection('sign_in_codes').deleteMany({});
  await visitor.submit({ do: 'resend' });
  return farmers.sender.codeFor(PHONE);
}

test('a farmer’s copy is what the customer holds of their accounts, record by record, and names nobody else', async () => {
  const visitor = await share('42-1', PHONE);
  await share('42-8', OTHER_PHONE);
  await visitor.get('/sharing/customers');
  await visitor.submit({ copy: 'insurer' });
  expect(visitor.text).toContain(
    'Once an hour at most. It holds a lot about you. So we first send a new code',
  );
  for (const form of ['page', 'table', 'file', 'production', 'loads']) {
    await visitor.get(`${COPY}/${form}`);
    expect(visitor.page.path).toBe(COPY); // not before the code
  }

  const code = await asked(visitor);
  expect(farmers.sender.texts.at(-1)!.body).toContain('You asked for it, for your copy.');
  await visitor.submit({ code });
  expect([visitor.page.path, visitor.text.includes('a new code')]).toEqual([COPY, false]); // it was entered
  await visitor.get(`${COPY}/file`);
  expect(visitor.text).toContain('Nothing was sent: there is no copy.');

  for (let run = 0; run < 2; run++) await worker.run();
  const { status, headers, html } = await visitor.get(`${COPY}/file`);
  expect([status, headers['content-disposition']]).toEqual([
    200,
    'attachment; filename="grain-records-acme-crop-insurance.json"',
  ]);
  expect(html).toMatch(/^\{\n  "customer": .*\n {6}"account": \{\n/s); // to be read by people too
  const copy = JSON.parse(html) as Record<string, Record<string, { id: string }>[]>;
  expect(copy).toMatchObject({ customer: 'Acme Crop Insurance' });
  const copied = Object.fromEntries(
    ['accounts', 'tickets'].map((type) => [type, copy[type]!.flatMap((one) => Object.values(one))]),
  );
  const held = (type: string, id: string) => customer.holds(type).get(id) as object;
  expect(copied['accounts']).toEqual([held('accounts', '42-1')]);
  expect(copied['tickets']!.map(({ id }) => id).sort()).toEqual(['42-T-1', '42-T-2']);
  expect(copied['tickets']!.find(({ id }) => id === '42-T-1')).toEqual(held('tickets', '42-T-1'));
  // The customer reads both halves of the split, and the farmer their own.
  expect(JSON.stringify(held('tickets', '42-T-2'))).toContain('42-8');
  expect(html).not.toContain('42-8');

  const { records } = (await farmers.store.db
    .collection('deliveries')
    .aggregate<{ records: number }>([{ $group: { _id: null, records: { $sum: '$records' } } }])
    .next())!;
  expect(records).toBe(customer.holds('accounts').size + customer.holds('tickets').size);

  await visitor.get(`${COPY}/file`);
  expect(visitor.text).toMatch(/Please try again in \d\d minutes\./); // nobody has said in which time zone the company is
  expect(visitor.text).not.toContain('ready from');
  const zoned = { company: { id: '42', name: 'Co-op' }, time_zone: 'America/Chicago', token_hash: 'of-42' };
  await farmers.store.db.collection('integrations').insertOne(zoned);

  // The same copy to read, and for a spreadsheet: each once as well.
  const toRead = await visitor.get(`${COPY}/page`);
  expect([toRead.status, toRead.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(visitor.text).toMatch(/What Acme Crop Insurance got about your accounts .* Scale tickets /);
  expect(visitor.text).toMatch(/Number T-1 .*Load number a /);
  expect(visitor.text).toMatch(/Grain company Prairie Co-op Splits Account: 1, Split percent: 50 First/);
  const table = await visitor.get(`${COPY}/table`);
  expect(table.headers['content-disposition']).toMatch(/"grain-records-acme-crop-insurance\.csv"$/);
  expect(table.html).toMatch(/^Accounts\r\nNumber,ID,Name,Phones,/);
  expect(table.html).toMatch(/\r\n\r\nScale tickets\r\nNumber,.*\r\nT-1,.*\r\nT-2,.*\r\n$/);
  for (const form of [toRead, table]) expect(form.html).not.toMatch(/42-8|Neighbour/);
  for (const form of ['page', 'table', 'file']) {
    await visitor.get(`${COPY}/${form}`);
    expect(visitor.text).toContain('The next copy is ready from');
  }

  // Nor is a code sent for nothing until then.
  const proven = { 'copy.proven_at': { $ne: null } };
  const unproven = { $set: { 'copy.proven_at': null } };
  await farmers.store.db.collection('sessions').updateMany(proven, unproven);
  const { tried } = farmers.sender;
  for (const press of ['resend', 'call']) {
    await visitor.get('/sharing/customers');
    await visitor.submit({ copy: 'insurer' });
    await visitor.submit({ do: press });
    await whenAllIsDone();
    expect([visitor.at, farmers.sender.tried - tried]).toEqual([`200 ${COPY}`, 0]);
    expect(visitor.text).toContain('The next copy is ready from');
    expect(visitor.text).not.toContain('Text me a');
  }
});

test('a farmer’s production record is what the customer may see of it, to print and as CSV, in their language', async () => {
  const types = ['accounts', 'tickets', 'settlements'] as const;
  await addFarmersChannel(farmers, 'claims', { name: 'Claims & Co', entity_types: [...types] });
  const grown = {
    crop_year: 2026,
    units_uom: 'bu',
    weight_uom: 'lb',
    weigh_out_at: '2026-10-20T23:56:00-05:00',
  };
  const corn = {
    ...grown,
    commodity: 'corn',
    net_weight: 52340,
    net_units: '918.94',
    fsa_field_number: '3A',
  };
  const splits = ['1', '8'].map((account_id) => ({ account_id, split_percent: 50, net_units: '459.47' }));
  const lines = [{ ticket_id: 'P-1', net_units: '459.47' }];
  const settlement = { id: 'S-1', account_id: '1', status: 'posted', crop_year: 2026, uom: 'bu', lines };
  await pushRecords(farmers.store, {
    tickets: [
      { id: 'P-1', ticket_number: '48213', ...corn, splits },
      { id: 'P-2', ticket_number: '=48214', ...grown, account_id: '1', crop_year: 2025 },
    ],
  });
  await pushRecords(farmers.store, {
    settlements: [settlement, { ...settlement, id: 'S_8', account_id: '8' }],
  });
  const visitor = await farmers.share(['42-1'], { partner_slug: 'claims', partner_id: 'c', phone: PHONE });
  await visitor.submit({ code: await asked(visitor, 'claims') });
  expect(visitor.text).toContain('Production record to print');
  await visitor.get(`${COPY}/production`);
  expect(visitor.text).toContain('Nothing was sent'); // no plan has begun to share it yet
  await farmers.store.db.collection('subscriptions').updateMany({}, { $set: { to_begin: [] } });

  const { status, html } = await visitor.get(`${COPY}/production`);
  expect([status, html.includes('<script'), /42-8|Neighbour|S_8/.test(html)]).toEqual([200, false, false]);
  const [newest, before] = visitor.text.split('Meyer Farms 1, crop year 2025');
  expect(newest).toMatch(
    / as Claims & Co may see them\..* Meyer Farms 1, crop year 2026 Prairie Co-op · .* corn 1 1 52340 lb 26170 lb 459\.47 bu 459\.47 bu /,
  );
  expect(newest).toMatch(
    /FSA field number 3A .* October 20, 2026 48213 – corn – – 52340 lb – 50 459\.47 bu Settled /,
  );
  expect(before).toMatch(
    /1 of 1 loads name no field\..* Loads that name no field: 1 \(=48214\) .* Not assigned to a field /,
  );
  const csv = await visitor.get(`${COPY}/loads`);
  expect(csv.headers['content-disposition']).toBe('attachment; filename="production-claims-co.csv"');
  expect(csv.html).toMatch(
    /^Account,Crop year,.*\r\n42-1,,.*\r\n42-1,2026,.*,48213,.*,50,26170,459\.47,bu,Settled,459\.47,S-1,.*\r\n42-1,2025,.*,'=48214,.*,Open,.*Loads that name no field/s,
  );
  expect(csv.html.trimEnd().split('\r\n')).toHaveLength(5); // with the loads that no test of this file gave a crop year
  await visitor.get(`${COPY}/production`);
  expect(visitor.text).toMatch(/The next copy is ready from|Please try again in/);
});

test('a copy needs a code of its own: neither that of the visit nor a wrong one opens it', async () => {
  const visitor = await share('42-2', PHONE);
  const code = await asked(visitor);
  await visitor.submit({ code: String((Number(code) + 1) % 1e6).padStart(6, '0') });
  expect(visitor.at).toBe(`422 ${COPY}`);
  expect(visitor.text).toContain('That code is not right');
  await visitor.get(`${COPY}/file`);
  expect(visitor.page.path).toBe(COPY);
});

test('a copy can be asked for again after a text that failed, and by a call', async () => {
  const visitor = await share('42-2', PHONE);
  await visitor.get('/sharing/customers');
  await visitor.submit({ copy: 'insurer' });
  expect(visitor.page.html).toContain('value="call"');
  farmers.sender.outcome = fails;
  await visitor.submit({ do: 'resend' });
  farmers.sender.outcome = sent;
  await whenAllIsDone();
  await visitor.get(COPY);
  expect(visitor.at).toBe(`200 ${COPY}`);
  expect(visitor.text).toContain('does not answer. It is not your phone.');
  await visitor.submit({ do: 'call' });
  await whenAllIsDone();
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  // Words of a wrong code that was entered before the right one.
  visitor.cookie += `; gdx-said=${Buffer.from(JSON.stringify([COPY, 'wrong'])).toString('base64url')}`;
  await visitor.get(COPY);
  for (const form of ['page', 'table', 'file', 'production', 'loads'])
    expect(visitor.page.html).toContain(`href="${COPY}/${form}"`);
});

test('of a customer that gets nothing from this farmer there is no copy', async () => {
  const visitor = await share('42-2', PHONE);
  for (const copy of ['nobody', 'acme', '../insurer']) {
    await visitor.get('/sharing/customers');
    await visitor.submit({ copy });
    expect(visitor.page.path).toBe('/sharing/customers');
  }
});
