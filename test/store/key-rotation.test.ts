import { randomBytes } from 'node:crypto';
import { alertSecret } from '../../store/alert-secret';
import { findChannel, openSecrets } from '../../store/channels';
import { closeStore, connectStore, type Store } from '../../store/connect';
import { countAttempt } from '../../store/attempt-counts';
import { findFarmerSession, openFarmerSession, phoneOf } from '../../store/farmer-sessions';
import { prepareStore } from '../../store/prepare-store';
import { rewrapSecrets } from '../../store/rewrap-secrets';
import { seal, SecretKeyMissing, unseal } from '../../store/seal';
import { rotateSigningSecret } from '../../store/signing-secrets';
import { newSignInCode, tryCode } from '../../store/sign-in-codes';
import { farmerOf } from '../../store/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { newDatabaseUri } from '../setup/open-store';

const PHONE = '7015550142';
const [FIRST, SECOND, THIRD] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const LINK = { channel: 'acme', partner_id: 'p', display_name: 'A', callback_url: 'https://a.example' };

const opened: Store[] = [];
let uri: string;
beforeEach(() => {
  uri = newDatabaseUri();
});
afterEach(async () => {
  const [first, ...rest] = opened.splice(0);
  await Promise.all(rest.map(closeStore));
  if (first) await closeStore(first);
});

/** The database as a process sees it that was started with these keys. */
async function openWith(secretKey: Buffer, ...oldSecretKeys: Buffer[]): Promise<Store> {
  const store = await connectStore({ uri, secretKey, oldSecretKeys, appName: 'gdx-test' });
  opened.push(store);
  await prepareStore(store);
  return store;
}

const counts = async (store: Store, dryRun = false) => {
  const done = await rewrapSecrets(store, { dryRun });
  return Object.fromEntries(
    done.map(({ kind, current, rewrapped, unopened }) => [kind, [current, rewrapped, unopened.length]]),
  );
};

async function fill(store: Store) {
  const { signingSecret } = await addTestChannel(store, 'acme', 'https://acme.example', {
    authorization: 'geheim',
  });
  await addTestChannel(store, 'bell', 'https://bell.example');
  const token = await openFarmerSession(store, { link: LINK, language: 'en', phone: PHONE });
  const session = (await findFarmerSession(store, token))!;
  const code = await newSignInCode(store, session, PHONE, { shown: true });
  return { signingSecret, token, session, code: code! };
}

test('everything is sealed anew, once, and opens without the key before', async () => {
  const { signingSecret, token } = await fill(await openWith(FIRST));
  const both = await openWith(SECOND, FIRST);
  const wanted = { keys: [0, 1, 0], channels: [0, 3, 0], sessions: [0, 1, 0], sign_in_codes: [0, 1, 0] };
  expect(await counts(both, true)).toEqual(wanted);
  expect(await counts(both)).toEqual(wanted); // the dry run has changed nothing
  expect(await counts(both)).toEqual({
    keys: [1, 0, 0],
    channels: [3, 0, 0],
    sessions: [1, 0, 0],
    sign_in_codes: [1, 0, 0],
  });

  const after = await openWith(SECOND);
  const channel = (await findChannel(after, 'acme'))!;
  expect(openSecrets(after, channel, new Date())).toEqual({
    authorization: 'geheim',
    signingSecrets: [signingSecret],
  });
  expect(phoneOf(after, (await findFarmerSession(after, token))!)).toBe(PHONE);
});

test('farmers, codes, limits and the alerts’ secret are the same after it', async () => {
  const before = await openWith(FIRST);
  const { session, code } = await fill(before);
  const limit = { limit: 1, windowMs: 60_000 };
  await countAttempt(before, PHONE, limit);
  await counts(await openWith(SECOND, FIRST));
  const after = await openWith(SECOND);
  expect(farmerOf(after, PHONE)).toBe(farmerOf(before, PHONE));
  expect(await countAttempt(after, PHONE, limit)).toBeGreaterThan(0);
  expect(await tryCode(after, session, PHONE, code)).toBe('right');
  expect(alertSecret(after)).toBe(alertSecret(before));
  // and none of it can be found from the key that seals
  expect(after.hashKey.equals(SECOND) || after.hashKey.equals(FIRST)).toBe(false);
});

test('a process with another key does not start', async () => {
  await openWith(FIRST);
  await expect(openWith(SECOND)).rejects.toThrow(SecretKeyMissing);
  await expect(openWith(SECOND)).rejects.toThrow(/GDX_SECRET_KEY_OLD/);
});

test('what cannot be opened is named and left as it is', async () => {
  const store = await openWith(FIRST);
  await fill(store);
  const foreign = seal({ secretKey: THIRD }, 'bell', 'whsec_x');
  const channels = store.db.collection<{ _id: string }>('channels');
  await channels.updateOne({ _id: 'bell' }, { $set: { 'signing_secrets.0.sealed': foreign } });
  const done = await rewrapSecrets(await openWith(SECOND, FIRST), { dryRun: false });
  expect(done.find(({ kind }) => kind === 'channels')).toMatchObject({
    ...{ current: 0, rewrapped: 2 },
    unopened: [{ owner: 'bell', why: expect.stringContaining('a key that is not here') }],
  });
  expect(
    unseal({ secretKey: THIRD }, 'bell', (await findChannel(store, 'bell'))!.signing_secrets[0]!.sealed),
  ).toBe('whsec_x');
});

test('a signing secret is exchanged over a day, or at once', async () => {
  const store = await openWith(FIRST);
  const { signingSecret: first } = await fill(store);
  const now = new Date();
  const in25h = new Date(now.getTime() + 25 * 3_600_000);
  const live = async (at = now) => openSecrets(store, (await findChannel(store, 'acme'))!, at).signingSecrets;

  const { signingSecret: second, old_until } = (await rotateSigningSecret(
    store,
    'acme',
    { atOnce: false },
    now,
  ))!;
  expect(Buffer.from(second.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(old_until!.getTime() - now.getTime()).toBe(24 * 3_600_000);
  expect([await live(), await live(in25h)]).toEqual([[second, first], [second]]);

  const both = await Promise.all(
    [1, 2].map(() => rotateSigningSecret(store, 'acme', { atOnce: false }, now)),
  );
  expect(new Set(await live())).toEqual(
    new Set([first, second, ...both.map((rotated) => rotated!.signingSecret)]),
  );
  const { signingSecret: last } = (await rotateSigningSecret(store, 'acme', { atOnce: true }, now))!;
  expect(await live()).toEqual([last]);
  expect(await rotateSigningSecret(store, 'nobody', { atOnce: true })).toBeNull();
});
