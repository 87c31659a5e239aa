import { findFarmerSession, type FarmerSession, openFarmerSession } from '../../store/access/farmer-sessions';
import {
  findSignInCode,
  newSignInCode,
  noteSending,
  RESEND_AFTER_MS,
  shownCode,
  takeTry,
  useTry,
} from '../../store/access/sign-in-codes';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

const PHONE = '7015550142';
const LINK = { channel: 'acme', partner_id: 'p', display_name: 'A', callback_url: 'https://a.example' };

let store: Store;
let session: FarmerSession;
beforeEach(async () => {
  store = await emptyStore();
  const token = await openFarmerSession(store, { link: LINK, language: 'en', phone: PHONE });
  session = (await findFarmerSession(store, token))!;
});

const newCode = async (shown = false) =>
  (await newSignInCode(store, session, PHONE, { via: 'text', shown }))!;
const waitIsOver = () =>
  store.db
    .collection('sign_in_codes')
    .updateMany({}, { $set: { sent_at: new Date(Date.now() - RESEND_AFTER_MS) } });

test('a text that fails when a second one is on its way takes nothing from that one’s code', async () => {
  const first = await newCode();
  await waitIsOver();
  const second = await newCode();
  await noteSending(store, first.sent, 'failed');
  const tried = await takeTry(store, session, PHONE);
  expect(tried && (await useTry(store, tried, second.code))).toBe('right');
});

test('the page shows no code but the last, and none once it is sent by text', async () => {
  await newCode(true);
  await waitIsOver();
  const { code } = await newCode(true);
  const shown = async () => shownCode(store, (await findSignInCode(store, session, PHONE))!);
  expect(await shown()).toBe(code);
  await waitIsOver();
  await newCode(false);
  expect(await shown()).toBeUndefined();
});
