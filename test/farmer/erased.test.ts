import { eraseFarmer, eraseNamed } from '../../control/erase-farmer';
import { openAction } from '../../store/callers/operator-actions';
import { findSignIns, forgetSignIns } from '../../store/codes/forget-sign-ins';
import { newSignInCode, takeTry, useTry } from '../../store/codes/sign-in-codes';
import { type Erasure, noteErasure, readNewest } from '../../store/consent/erasures';
import { findFarmerId, phoneHashes } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import { addHashKey, dropPreviousHashKey } from '../../store/secrets/hash-key';
import {
  changePhone,
  type FarmerSession,
  findFarmerSession,
  openFarmerSession,
} from '../../store/sessions/farmer-sessions';
import { verifySession } from '../../store/sessions/session-ends';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
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

const parts = () => ({ store: farmers.store, temporal: hearingSignals().temporal });
const why = { reason: 'letter', request_id: 'test' };

describe('beside a right code', () => {
  const NEW = '7015550161';

  async function openedVisit(): Promise<FarmerSession> {
    const { store } = farmers;
    const from = { channel: 'acme', partner_id: POLICY, display_name: 'A', callback_url: '', signed: false };
    const token = await openFarmerSession(store, { link: from, language: 'en', phone: NEW });
    return (await findFarmerSession(store, token, 'link'))!;
  }
  async function expectNothingLeft(): Promise<void> {
    const { store } = farmers;
    const { sessions } = await findSignIns(store, phoneHashes(store, NEW));
    expect([sessions, await findFarmerId(store, NEW)]).toEqual([[], undefined]);
  }

  test.each(['replaceOne', 'insertOne'])(
    'that has come to %s: neither visit nor link stays',
    async (write) => {
      let erasing: Promise<unknown> | undefined;
      const visiting = rewire(farmers.store, async ({ collection, method, run }) => {
        const done = await run();
        if (collection === 'sessions' && method === write && !erasing)
          await new Promise<void>((removing) => {
            // For a visit that the code holds it waits.
            const watched = rewire(farmers.store, async (call) => {
              const removed = call.run();
              if (call.collection === 'sessions' && call.method === 'deleteMany') removing();
              return removed;
            });
            erasing = eraseFarmer({ ...parts(), store: watched }, NEW, why).finally(removing);
          });
        return done;
      });
      await verifySession(visiting, await openedVisit(), '123456').catch(() => {});
      await erasing;
      expect(erasing).toBeDefined();
      await expectNothingLeft();
    },
  );

  test('that is entered once its visit was found: the visit that it opens is found as well', async () => {
    const visit = await openedVisit();
    const hashes = phoneHashes(farmers.store, NEW);
    let entered: string | undefined;
    const erasing = rewire(farmers.store, async ({ collection, method, run }) => {
      if (collection === 'sessions' && method === 'deleteMany' && !entered)
        entered = await verifySession(farmers.store, visit, '123456');
      return run();
    });
    expect(await forgetSignIns(erasing, hashes)).toEqual({ sessions: 1, codes: 0 });
    expect([entered, await findSignIns(farmers.store, hashes)]).toEqual([
      expect.any(String),
      { sessions: [], codes: [] },
    ]);
    expect(await eraseFarmer(parts(), NEW, why)).toMatchObject({ sessions: 0, links: 1 });
  });

  test('for a visit that had another phone when it was looked for: the code opens nothing', async () => {
    const { store } = farmers;
    const visit = await openedVisit();
    const { code } = (await newSignInCode(store, visit, NEW, { via: 'text', shown: false, digits: 6 }))!;
    const away = await changePhone(store, visit, OTHER_PHONE);
    let outcome: unknown;
    const erasing = rewire(store, async ({ collection, method, run }) => {
      const found = await run();
      if (collection === 'sessions' && method === 'find' && outcome === undefined) {
        const back = await changePhone(store, away, NEW);
        const tried = await takeTry(store, back, NEW);
        outcome = tried && (await useTry(store, tried, code));
      }
      return found;
    });
    await eraseFarmer({ ...parts(), store: erasing }, NEW, why);
    expect(outcome).toBeNull();
    await expectNothingLeft();
  });

  test('of a visit that begins while the rest is erased: it ends with the farmer’s id', async () => {
    const { store } = farmers;
    await farmerIdOf(store, NEW);
    let entered: string | undefined;
    const erasing = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'farmers' && method === 'deleteMany')
        entered ??= await verifySession(store, await openedVisit(), '123456');
      return run();
    });
    const erased = await eraseFarmer({ ...parts(), store: erasing }, NEW, why);
    expect([entered, erased]).toEqual([
      expect.any(String),
      expect.objectContaining({ sessions: 1, links: 1 }),
    ]);
    await expectNothingLeft();
  });

  test('of six visits at once one makes the farmer known, and all are opened', async () => {
    const { store } = farmers;
    const visits = await Promise.all(Array.from({ length: 6 }, openedVisit));
    await Promise.all(visits.map((visit) => verifySession(store, visit, '123456')));
    const { sessions } = await findSignIns(store, phoneHashes(store, NEW));
    expect([sessions.length, await findFarmerId(store, NEW)]).toEqual([6, expect.any(String)]);
    expect(await eraseFarmer(parts(), NEW, why)).toMatchObject({ sessions: 6, links: 1 });
  });
});

describe('while the hash key is exchanged', () => {
  beforeEach(() => dropPreviousHashKey(farmers.store));

  test.each([1, 2])('write %i of a visit that was begun before brings no link back', async (write) => {
    const { store } = farmers;
    const id = await farmerIdOf(store, PHONE);
    await addHashKey(store);
    let writes = 0;
    let erasing: Promise<unknown> | undefined;
    // The erasure is done with a link that is free. For one that the visit holds, it waits.
    const visiting = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'farmers' && !method.startsWith('find') && ++writes === write) {
        await new Promise<void>((removing) => {
          const watched = rewire(store, async (call) => {
            const done = call.run();
            if (call.collection === 'farmers' && call.method === 'deleteMany') removing();
            return done;
          });
          erasing = eraseFarmer({ ...parts(), store: watched }, PHONE, why).finally(removing);
        });
        if (write === 1) await erasing;
      }
      return run();
    });
    await farmerIdOf(visiting, PHONE);
    await erasing;
    expect([erasing !== undefined, (await findFarmerId(store, PHONE)) === id]).toEqual([true, false]);
  });

  test('whom a visit hashes again while they are erased after a restore, no phone leads to', async () => {
    const { store } = farmers;
    const id = await farmerIdOf(store, OTHER_PHONE);
    await noteErasure(store, id);
    const [{ hash }] = (await readNewest(store)) as [Erasure];
    await addHashKey(store);
    const visited = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'farmers' && method === 'deleteMany')
        expect(await farmerIdOf(store, OTHER_PHONE)).toBe(id);
      return run();
    });
    expect(await eraseNamed({ ...parts(), store: visited }, [hash], why)).toMatchObject({
      farmers: 1,
      links: 1,
    });
    expect(await findFarmerId(store, OTHER_PHONE)).toBeUndefined();
  });
});
