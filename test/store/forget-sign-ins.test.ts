import { findFarmerSession, openFarmerSession } from '../../store/access/farmer-sessions';
import { findSignIns, forgetSignIns } from '../../store/access/forget-sign-ins';
import { addHashKey, dropPreviousHashKey } from '../../store/access/hash-key';
import { newSignInCode } from '../../store/access/sign-in-codes';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

const [PHONE, OTHER] = ['7015550142', '7015550199'];
const LINK = { channel: 'acme', partner_id: 'p', display_name: 'A', callback_url: 'https://a.example' };

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await dropPreviousHashKey(store); // a file's stores may share their keys
});

async function askForCode(phone: string): Promise<void> {
  const token = await openFarmerSession(store, { link: LINK, language: 'en', phone });
  const session = (await findFarmerSession(store, token))!;
  await newSignInCode(store, session, phone, { via: 'text', shown: false });
}

test('a phone’s visits and codes are forgotten, also those of before an exchange of the key, and nobody else’s', async () => {
  for (const phone of [PHONE, OTHER]) await askForCode(phone);
  await addHashKey(store);
  expect(await forgetSignIns(store, PHONE)).toEqual({ sessions: 1, codes: 1 });
  expect(await findSignIns(store, PHONE)).toEqual({ sessions: [], codes: [] });
  const left = await findSignIns(store, OTHER);
  expect([left.sessions.length, left.codes.length]).toEqual([1, 1]);
});
