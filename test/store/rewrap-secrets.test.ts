import { randomBytes } from 'node:crypto';
import { type CustomerKeys, DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { rawPublicKey } from '../../domain/settings/raw-keys';
import { CustomerKeyMissing } from '../../store/secrets/customer-secrets';
import { ensureAlertSecret, readAlertSecret } from '../../store/secrets/alert-secret';
import { findChannel, openSecrets } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { countAttempt } from '../../store/codes/attempt-counts';
import { addHashKey, hashPhone } from '../../store/secrets/hash-key';
import { liveLinkKeys, newLinkKey } from '../../store/secrets/link-keys';
import {
  farmerSessions,
  findFarmerSession,
  keepTyped,
  openFarmerSession,
  phoneOf,
  typedPhone,
} from '../../store/sessions/farmer-sessions';
import { customerSessions, operatorSessions } from '../../store/sessions/page-sessions';
import { rewrapSecrets } from '../../store/secrets/rewrap-secrets';
import { seal, SecretKeyMissing, unseal } from '../../store/secrets/seal';
import { rotateSigningSecret } from '../../store/channels/signing-secrets';
import { newSignInCode, takeTry, useTry } from '../../store/codes/sign-in-codes';
import { findFarmerId } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import { farmerOf } from '../../store/consent/subscriptions';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { databaseUriOf, emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';
import { openStoreAt } from '../setup/open-store-at';

const PHONE = '7015550142';
const [FIRST, SECOND, THIRD] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const LINK = {
  channel: 'acme',
  partner_id: 'p',
  display_name: 'A',
  callback_url: 'https://a.example',
  signed: false,
};

let uri: string;
beforeEach(async () => {
  const empty = await emptyStore();
  await empty.db.collection('keys').deleteMany({});
  uri = databaseUriOf(empty);
});

/** The database as seen by a process that was started with these keys. */
function openWith(
  keys: Buffer | { secretKey: Buffer | undefined; customerKeys: CustomerKeys },
  ...oldSecretKeys: Buffer[]
): Promise<Store> {
  const given = Buffer.isBuffer(keys) ? { secretKey: keys, customerKeys: DEVELOPMENT_CUSTOMER_KEYS } : keys;
  return openStoreAt(uri, { keys: { ...given, oldSecretKeys } });
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
    headers: [{ name: 'X-Api-Key', value: 'geheim' }],
  });
  await addTestChannel(store, 'bison', 'https://bison.example');
  const { linkKey } = await newLinkKey(store, 'acme', 0);
  const token = await openFarmerSession(store, { link: LINK, language: 'en', phone: PHONE });
  const session = (await findFarmerSession(store, token, 'link'))!;
  const made = await newSignInCode(store, session, PHONE, { via: 'text', shown: true, digits: 6 });
  return { signingSecret, linkKey, token, session, code: made!.code };
}

slowTest('with it the hash key before, by which farmers who have not come since are found', async () => {
  const first = await openWith(FIRST);
  const id = await farmerIdOf(first, PHONE);
  await addHashKey(first);
  await rewrapSecrets(await openWith(SECOND, FIRST), { dryRun: false });
  expect(await findFarmerId(await openWith(SECOND), PHONE)).toBe(id);
});

slowTest('everything is sealed anew, once, and opens without the key before', async () => {
  const { signingSecret, linkKey, token } = await fill(await openWith(FIRST));
  const both = await openWith(SECOND, FIRST);
  const wanted = {
    keys: [1, 3, 0],
    channels: [6, 0, 0],
    link_keys: [0, 1, 0],
    sessions: [0, 1, 0],
    sign_in_codes: [0, 1, 0],
    operator_sessions: [0, 0, 0],
    customer_sessions: [0, 0, 0],
  };
  expect(await counts(both, true)).toEqual(wanted);
  expect(await counts(both)).toEqual(wanted); // the dry run has changed nothing
  expect(await counts(both)).toEqual({
    keys: [4, 0, 0],
    channels: [6, 0, 0],
    link_keys: [1, 0, 0],
    sessions: [1, 0, 0],
    sign_in_codes: [1, 0, 0],
    operator_sessions: [0, 0, 0],
    customer_sessions: [0, 0, 0],
  });

  const after = await openWith(SECOND);
  const channel = (await findChannel(after, 'acme'))!;
  expect(await openSecrets(after, channel, new Date())).toMatchObject({
    authorization: 'geheim',
    signingSecrets: [signingSecret],
  });
  expect(await liveLinkKeys(after, 'acme', new Date())).toEqual([linkKey]);
  expect(phoneOf(after, (await findFarmerSession(after, token, 'link'))!)).toBe(PHONE);
});

test.each([
  ['a customer', customerSessions, { channel: 'acme', key_hash: '' }],
  ['an operator', operatorSessions, { operator: 'maria' }],
])('the page that answers the last form of %s opens with the key after', async (_, kind, whose) => {
  const first = await openWith(FIRST);
  const sessions = kind as typeof operatorSessions;
  const token = await sessions.open(first, whose as { operator: string });
  await sessions.keep(first, (await sessions.find(first, token))!, 'Done.');
  await counts(await openWith(SECOND, FIRST));
  const after = await openWith(SECOND);
  expect(await sessions.take(after, (await sessions.find(after, token))!)).toBe('Done.');
});

test('what a farmer has typed in place of a phone opens with the key after, so that their page does', async () => {
  const first = await openWith(FIRST);
  await keepTyped(first, (await fill(first)).session, 'no phone');
  await counts(await openWith(SECOND, FIRST));
  const after = await openWith(SECOND);
  expect(typedPhone(after, (await farmerSessions(after).findOne({ typed: { $ne: null } }))!)).toBe(
    'no phone',
  );
});

slowTest('farmers, codes, limits and the alerts’ secret are the same after it', async () => {
  const before = await openWith(FIRST);
  const { session, code } = await fill(before);
  const limit = { limit: 1, windowMs: 60_000 };
  await countAttempt(before, PHONE, limit);
  const secret = await readAlertSecret(before);
  await counts(await openWith(SECOND, FIRST));
  const after = await openWith(SECOND);
  expect(farmerOf(after, PHONE)).toBe(farmerOf(before, PHONE));
  expect(await countAttempt(after, PHONE, limit)).toBeGreaterThan(0);
  expect(await useTry(after, (await takeTry(after, session, PHONE))!, code)).toBe('right');
  expect(await readAlertSecret(after)).toBe(secret);
  // and none of it can be derived from the sealing key
  expect(after.hashKey.equals(SECOND) || after.hashKey.equals(FIRST)).toBe(false);
});

slowTest('a process with another key does not start', async () => {
  await openWith(FIRST);
  await expect(openWith(SECOND)).rejects.toThrow(SecretKeyMissing);
  await expect(openWith(SECOND)).rejects.toThrow(/GDX_SECRET_KEY_OLD/);
});

test('of two processes that begin a database at once both have the one secret of alerts', async () => {
  const [first, second] = [await openWith(FIRST), await openWith(FIRST)];
  const secret = await readAlertSecret(first);
  const early = rewire(second, ({ method, run }) =>
    method === 'countDocuments' ? Promise.resolve(0) : run(),
  );
  await ensureAlertSecret(early);
  expect([await readAlertSecret(first), await readAlertSecret(second)]).toEqual([secret, secret]);
});

slowTest('a worker with another private key does not start either', async () => {
  const pairOf = (raw: Buffer) => ({ publicKey: rawPublicKey('X25519', raw), privateKeys: [raw] });
  await openWith({ secretKey: FIRST, customerKeys: pairOf(THIRD) });
  await openWith({ secretKey: undefined, customerKeys: pairOf(THIRD) });
  const other = openWith({ secretKey: undefined, customerKeys: pairOf(SECOND) });
  await expect(other.then(() => 'started')).rejects.toThrow(CustomerKeyMissing);
});

describe('what customers have given us', () => {
  const pair = () => {
    const raw = randomBytes(32);
    return { publicKey: rawPublicKey('X25519', raw), privateKeys: [raw] };
  };
  const [ours, next] = [pair(), pair()];
  const count = async (store: Store) => (await counts(store))['channels'];

  slowTest(
    'is sealed to a new pair by whoever has the key before, and opens with the new one alone',
    async () => {
      const before = await openWith({ secretKey: FIRST, customerKeys: ours });
      const { signingSecret } = await fill(before);
      const blind = await openWith({ secretKey: FIRST, customerKeys: { ...next, privateKeys: [] } });
      expect(await count(blind)).toEqual([0, 0, 6]);
      const both = { ...next, privateKeys: [...next.privateKeys, ...ours.privateKeys] };
      expect(await count(await openWith({ secretKey: FIRST, customerKeys: both }))).toEqual([0, 6, 0]);
      const after = await openWith({ secretKey: undefined, customerKeys: next });
      const channel = (await findChannel(after, 'acme'))!;
      expect(await openSecrets(after, channel, new Date())).toMatchObject({
        authorization: 'geheim',
        signingSecrets: [signingSecret],
      });
      await expect(openSecrets(before, channel, new Date())).rejects.toThrow(CustomerKeyMissing);
      expect(await readAlertSecret(after)).toBe(await readAlertSecret(before));
    },
  );

  slowTest('and is exchanged while it is sealed anew, stays what it was exchanged for', async () => {
    await fill(await openWith({ secretKey: FIRST, customerKeys: ours }));
    const keys = { ...next, privateKeys: [...next.privateKeys, ...ours.privateKeys] };
    const both = await openWith({ secretKey: FIRST, customerKeys: keys });
    let exchanged = '';
    const raced = rewire(both, async ({ collection, method, run }) => {
      if (collection === 'channels' && method === 'updateOne' && !exchanged)
        exchanged = (await rotateSigningSecret(both, 'acme', { atOnce: true }))!.signingSecret;
      return run();
    });
    await rewrapSecrets(raced, { dryRun: false });
    const { signingSecrets } = await openSecrets(both, (await findChannel(both, 'acme'))!, new Date());
    expect(signingSecrets).toEqual([exchanged]);
  });

  test('and cannot be opened is named and left as it is', async () => {
    const store = await openWith({ secretKey: FIRST, customerKeys: ours });
    await fill(store);
    const foreign = seal({ secretKey: THIRD }, 'bison', 'whsec_x');
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'bison' }, { $set: { 'signing_secrets.0.sealed': foreign } });
    const done = await rewrapSecrets(store, { dryRun: false });
    expect(done.find(({ kind }) => kind === 'channels')).toMatchObject({
      current: 5,
      unopened: [
        { owner: 'bison https://bison.example', why: expect.stringContaining('a key that is not here') },
      ],
    });
    const { sealed } = (await findChannel(store, 'bison'))!.signing_secrets[0]!;
    expect(unseal({ secretKey: THIRD }, 'bison', sealed)).toBe('whsec_x');
  });
});

slowTest('a signing secret is exchanged over a day, or at once', async () => {
  const store = await openWith(FIRST);
  const { signingSecret: first } = await fill(store);
  const now = new Date();
  const in25h = new Date(now.getTime() + 25 * 3_600_000);
  const live = async (at = now) =>
    (await openSecrets(store, (await findChannel(store, 'acme'))!, at)).signingSecrets;

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

test('the hash of a phone stays what it is: farmers of an older version are found by it', () => {
  expect(hashPhone(Buffer.alloc(32, 7), '5155550123')).toBe('pOhwQ-HujQtGojbmrQjVxzHKeVd-7HIm3vnDQZWtTSw');
});
