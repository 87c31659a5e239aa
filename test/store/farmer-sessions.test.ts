import {
  changePhone,
  changeSession,
  endSave,
  farmerSessions,
  findFarmerSession,
  type FarmerSession,
  goOnSaving,
  openFarmerSession,
  SessionMoved,
} from '../../store/access/farmer-sessions';
import { endSession, tokenOfSecondTap, verifySession, wayOutOf } from '../../store/access/session-ends';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

const [PHONE, OTHER] = ['7015550142', '7015550199'];
const LINK = { channel: 'acme', partner_id: 'p', display_name: 'A', callback_url: 'https://a.example' };
const HOUR = 3_600_000;
const SAVED = { status: 'saved', reference: 'acme-1' } as const;

let store: Store;
let cookie: string;
let session: FarmerSession;
beforeEach(async () => {
  store = await emptyStore();
  cookie = await openFarmerSession(store, { link: LINK, language: 'en', phone: PHONE });
  session = (await findFarmerSession(store, cookie))!;
});

const kept = async ({ _id } = session) => (await farmerSessions(store).findOne({ _id }))!;
const set = async (changes: Partial<FarmerSession>) => {
  await farmerSessions(store).updateOne({ _id: session._id }, { $set: changes });
  session = await kept();
};

test('a visit ends 8 hours after it began, whatever phones are typed and proven meanwhile', async () => {
  const opened_at = new Date(Date.now() - 7.5 * HOUR);
  await set({ opened_at });
  const theEnd = new Date(opened_at.getTime() + 8 * HOUR);
  await changePhone(store, session, OTHER);
  expect((await kept()).ends_at).toEqual(theEnd);
  const proven = await verifySession(store, await kept(), '123456');
  expect((await findFarmerSession(store, proven))!.ends_at).toEqual(theEnd);
});

test('what was chosen with one phone is written to no other', async () => {
  await changePhone(store, session, OTHER);
  await expect(changeSession(store, session, { seen: ['42-1'], ticked: ['42-1'] })).rejects.toThrow(
    SessionMoved,
  );
  expect(await kept()).toMatchObject({ seen: [], ticked: null });
});

test('a save ends what was ticked; the next page shows what is shared by then', async () => {
  const saving = { form: 'one', at: new Date() };
  await set({ verified: true, saving, ticked: ['42-1'], ends_on: '2027-10-31' });
  await endSave(store, session, { form: 'one', ...SAVED });
  const nothing = { saving: null, ticked: null, ends_on: null };
  expect(await kept()).toMatchObject({ ...nothing, saved: { form: 'one' } });
});

test('a save goes on where another phone was typed meanwhile: its sign of life changes nothing', async () => {
  await set({ verified: true, saving: { form: 'one', at: new Date() } });
  await changePhone(store, session, OTHER);
  await goOnSaving(store, session);
  expect((await kept()).saving).toBeNull();
});

test('a second tap leads on for a minute, at the code and on the way out', async () => {
  const over = () =>
    farmerSessions(store).updateOne({ _id: session._id }, { $set: { expires_at: new Date(Date.now() - 1) } });
  const proven = await verifySession(store, session, '123456');
  expect(await tokenOfSecondTap(store, cookie, '123456')).toBe(proven);
  await over();
  expect(await tokenOfSecondTap(store, cookie, '123456')).toBeUndefined();

  session = (await findFarmerSession(store, proven))!;
  await endSession(store, session, 'https://a.example/?status=saved');
  expect(await wayOutOf(store, proven)).toBe('https://a.example/?status=saved');
  await over();
  expect(await wayOutOf(store, proven)).toBeUndefined();
});
