import { eraseFarmer } from '../../control/erase-farmer';
import { openAction } from '../../store/callers/operator-actions';
import { findSignIns } from '../../store/codes/forget-sign-ins';
import { phoneHashes } from '../../store/consent/farmers';
import { hearingSignals } from '../api/start-api';
import { accountsOf, type Farmers, OTHER_PHONE, PHONE, pushAccounts, startFarmers } from './start-farmers';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await farmers.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: 'acme' }, { $set: { notify_url: 'https://acme.example/hook' } });
  await pushAccounts(farmers, [...accountsOf(PHONE, 4), ...accountsOf(OTHER_PHONE, 1, 9)]);
});

const POLICY = 'policy 4711&';

/** A farmer with everything that one may leave: visits, codes, grants, stops, ends, requests to delete, notices, actions. */
async function life(): Promise<void> {
  const { store } = farmers;
  const { visitor, code } = await farmers.asked();
  await visitor.submit({ code });
  await visitor.save({ account: ['42-1'] });
  await farmers.share(['42-1', '42-2', '42-3'], { partner_id: POLICY });
  await farmers.share(['42-4'], { partner_id: POLICY }, { earlier: 'no' });
  const stopping = await farmers.verified({ partner_id: POLICY });
  await stopping.get('/sharing/customers');
  await stopping.submit({ stop: 'acme/42-2' });
  const told = { 'data.accounts': '42-1' } as object;
  await store.db.collection('customer_notices').updateMany(told, { $set: { sent_at: new Date() } });
  const token = farmers.apiKey;
  await farmers.ask('GET', '/api/v1/channels/acme/subscriptions?ended=true', { token });
  const leaving = await farmers.verified({ partner_id: POLICY });
  const left = { headers: { cookie: leaving.cookie! } };
  const { headers } = await farmers.ask('GET', '/subscriptions/leave?cancelled', left);
  expect(headers['location']).toContain(`partner_id=${encodeURIComponent(POLICY)}`);
  await farmers.asked();
  const about = { channel: 'acme', action: 'pause', about: '', via: 'gdx', request_id: 'r' } as const;
  const said = { before: { note: POLICY }, by: 'maria', reason: `(701) 555-0142 of ${POLICY} called` };
  await openAction(store, { _id: 'a', ...about, ...said });
}

/** The words of a farmer that any collection still holds, each with its collection. */
async function leftOf(words: Record<string, string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const collection of await farmers.store.db.collections()) {
    const documents = (await collection.find({}, { raw: true }).toArray()) as unknown as Buffer[];
    const text = documents.map((bytes) => bytes.toString('latin1')).join('\n');
    for (const [what, forms] of Object.entries(words))
      if (forms.some((form) => text.includes(form))) found.push(`${what} in ${collection.collectionName}`);
  }
  return found.sort();
}

test('no collection keeps anything of a farmer who is erased, but the ledger its entries and the company its accounts', async () => {
  const { store } = farmers;
  await farmers.share(['42-9'], { phone: OTHER_PHONE, partner_id: 'policy-9' });
  await life();
  const hashes = phoneHashes(store, PHONE);
  const words = {
    'the phone': [PHONE, '555-0142'],
    'its ending': ['phone_ending\0\u0003\0\0\u000042\0'],
    'its hash': hashes,
    'the partner_id': [POLICY, encodeURIComponent(POLICY)],
  };
  expect(await leftOf(words)).toEqual([
    'its ending in subscriptions',
    ...['farmers', 'sign_in_codes'].map((one) => `its hash in ${one}`),
    ...['consents', 'customer_notices', 'operator_actions', 'sessions', 'subscriptions'].map(
      (one) => `the partner_id in ${one}`,
    ),
    ...['accounts', 'operator_actions'].map((one) => `the phone in ${one}`),
  ]);
  const why = { reason: 'letter', request_id: 'test' };
  await eraseFarmer({ store, temporal: hearingSignals().temporal }, PHONE, why);
  expect(await leftOf(words)).toEqual(['the partner_id in consents', 'the phone in accounts']);
  expect(await findSignIns(store, hashes)).toEqual({ sessions: [], codes: [] });
  const others = await store.db.collection('subscriptions').countDocuments({ partner_id: 'policy-9' });
  expect(others).toBe(1);
});
