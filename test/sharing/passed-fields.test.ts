import { digestRecords } from '../../store/digest/digest-records';
import { readDigestBase } from '../../store/digest/digest-base';
import { releaseForResend } from '../../store/deliveries/set-aside';
import { setPassedFields } from '../../store/sharing/passed-fields';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { COMPANY, pushRecords } from '../setup/push-records';
import { openSharedScene, type SharedScene } from './open-shared-scene';
import { slowTest } from '../setup/cases';

// What a channel of scope `subscribed` is shown of fields that no schema knows (docs/contract.md C18).
let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});

const OWN = {
  landlord_account_id: '1002',
  accounts: ['1001', '1002'],
  landlord: { name: 'Olson' },
  our_note: 'rain',
};
const ticket = (id: string, more: object = {}) => ({
  id,
  account_id: '1001',
  net_weight: 5,
  ...OWN,
  ...more,
});
const push = (...tickets: object[]) => pushRecords(scene.store, { tickets });

const ERP = { _id: 'agris', company: COMPANY };
const declare = (...add: string[]) => setPassedFields(scene.store, ERP, { add, remove: [] });
const takeBack = (...remove: string[]) => setPassedFields(scene.store, ERP, { add: [], remove });

/** The names of an ERP's own fields in each ticket that was posted since. */
const ownSince = (since: number) =>
  scene.customer.pages
    .slice(since)
    .filter(({ entityType }) => entityType === 'tickets')
    .flatMap(({ records }) =>
      records.map((record) =>
        [record.remote_id, ...Object.keys(OWN).filter((name) => name in record)].join(' '),
      ),
    );

/** How what the customer holds and what the digest says differ. */
async function differences(): Promise<string[]> {
  const { store, customer } = scene;
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    const base = (await readDigestBase(store, 'acme', 'tickets', session))!;
    const lines: string[] = [];
    for await (const some of digestRecords(store, 'tickets', base, { session }))
      lines.push(
        ...some.map(({ id, updated_at, pending }) => `${id} ${updated_at.toISOString()} ${pending}`),
      );
    const held = [...customer.holds('tickets').values()].map(
      ({ id, updated_at }) => `${id} ${updated_at} false`,
    );
    return [...lines.filter((line) => !held.includes(line)), ...held.filter((line) => !lines.includes(line))];
  });
}

test('they are left out, of items too, and what is known is sent', async () => {
  await scene.grant('1001');
  await push(
    ticket('T-1', {
      account_id: null,
      grade: '',
      splits: [{ account_id: '1001', net_units: 1, owner: '1002' }],
    }),
  );
  await scene.run();
  const page = scene.customer.pages.at(-1)!;
  expect(page.records).toEqual([
    {
      id: '42-T-1',
      remote_id: 'T-1',
      company: COMPANY,
      net_weight: 5,
      splits: [{ account: { id: '42-1001', remote_id: '1001' }, net_units: 1 }],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted_at: null,
    },
  ]);
});

slowTest('a channel of scope all gets them as they came', async () => {
  const { store, customer, agent } = scene;
  await addTestChannel(store, 'whole', customer.baseUrl, { entity_types: ['tickets'] });
  await push(ticket('T-1'));
  await new ActivityWorker('whole', { store, agent, customer }).run();
  expect(customer.pages.at(-1)!.records).toMatchObject([OWN]);
});

slowTest(
  'one that is declared is sent from the next page on, and no longer when that is taken back',
  async () => {
    await scene.grant('1001');
    await push(ticket('T-1'));
    const worker = scene.worker(); // which keeps what it has read
    await worker.run();
    expect(await declare('tickets.our_note', 'tickets.landlord')).toEqual({
      fields: ['tickets.landlord', 'tickets.our_note'],
      channels: ['acme'],
    });
    await push(ticket('T-2'));
    await worker.run();
    expect((await takeBack('tickets.landlord')).fields).toEqual(['tickets.our_note']);
    await push(ticket('T-3'));
    await worker.run();
    expect(ownSince(0)).toEqual(['T-1', 'T-2 landlord our_note', 'T-3 our_note']);
  },
);

slowTest(
  'what the customer holds stays, no digest shows a difference, and a resend or a reset brings it as it is shown now',
  async () => {
    await scene.grant('1001');
    await push(ticket('T-1'), ticket('T-2'));
    await scene.run();
    await declare('tickets.our_note');
    await scene.run();
    expect([ownSince(0), await differences()]).toEqual([['T-1', 'T-2'], []]);
    const of = { channel: 'acme', entity_type: 'tickets' } as const;
    await releaseForResend(scene.store, of, [{ id: '42-T-2', position: 2 }]);
    await scene.run();
    expect([ownSince(1), await differences()]).toEqual([['T-2 our_note'], []]);
    await scene.reset();
    await scene.run();
    expect([ownSince(2), await differences()]).toEqual([['T-1 our_note', 'T-2 our_note'], []]);
  },
);

slowTest('taken back while a page is on its way, the next one is without it', async () => {
  await scene.grant('1001');
  await declare('tickets.our_note');
  await push(ticket('T-1'), ticket('T-2'), ticket('T-3'));
  scene.customer.script = async () => {
    await takeBack('tickets.our_note');
    return 200;
  };
  await scene.run();
  expect(ownSince(0)).toEqual(['T-1 our_note', 'T-2 our_note', 'T-3']);
});

test('only the channels of the company are shown something else', async () => {
  const { store, customer } = scene;
  const settings = { scope: 'subscribed', companies: ['7'] } as const;
  await addTestChannel(store, 'elsewhere', customer.baseUrl, { ...settings, companies: ['7'] });
  await addTestChannel(store, 'here', customer.baseUrl, { ...settings, companies: ['7', COMPANY.id] });
  await addTestChannel(store, 'whole', customer.baseUrl, { companies: [COMPANY.id] });
  expect((await declare('tickets.our_note')).channels).toEqual(['acme', 'here']);
  expect((await declare('tickets.our_note')).channels).toEqual([]);
  expect(await scene.channel()).toMatchObject({ _id: 'acme', shares_version: 1 });
});
