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

test('a code is good for ten minutes', async () => {
  await newCode();
  const { expires_at } = (await findSignInCode(store, session, PHONE))!;
  expect((expires_at.getTime() - Date.now()) / 60_000).toBeCloseTo(10, 0);
});

test('a new code has five tries, whatever became of those of the one before', async () => {
  await newCode();
  for (let tries = 0; tries < 5; tries++) await takeTry(store, session, PHONE);
  expect(await takeTry(store, session, PHONE)).toBeNull();
  await waitIsOver();
  const { code } = await newCode();
  const tried = await takeTry(store, session, PHONE);
  expect(tried && (await useTry(store, tried, code))).toBe('right');
});

test('a code that is replaced while it is compared opens nothing, and the new one still does', async () => {
  const first = await newCode();
  const tried = (await takeTry(store, session, PHONE))!;
  await waitIsOver();
  const second = await newCode();
  expect(await useTry(store, tried, first.code)).toBe('over');
  expect(await useTry(store, (await takeTry(store, session, PHONE))!, second.code)).toBe('right');
});
