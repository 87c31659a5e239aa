import type { BSON } from 'mongodb';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { createReconcile } from '../../activities/reconcile';
import { createTellCustomers } from '../../activities/tell-customers';
import { ACTIONS } from '../../api/channel/actions';
import { close } from '../../control/close';
import { readInput } from '../../control/deed';
import { endGrants } from '../../control/end-grants';
import { raiseAlert } from '../../store/alerts/alerts';
import {
  channels,
  findChannel,
  channelKeys,
  findEvenClosed,
  listChannels,
  listPublicKeys,
  pauseChannel,
  resumeChannel,
} from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { rotateSigningSecret } from '../../store/channels/signing-secrets';
import { pauseCodes } from '../../store/codes/paused-codes';
import { farmerOf, subscriptions } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import { setAside } from '../../store/deliveries/set-aside';
import { beginCatchUps } from '../../store/markers/catch-ups';
import { startMarker } from '../../store/markers/markers';
import { newLinkKey } from '../../store/secrets/link-keys';
import { closeChannel, forgetClosed } from '../../store/sharing/close-channel';
import { TermsChanged } from '../../store/sharing/grant-and-revoke';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { AlertReceiver } from '../alerts/alert-receiver';
import { dyingAt, randomOf } from '../setup/dying';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { cases, nightlyTest, scaledTest } from '../setup/cases';
import { FakeCustomer } from '../setup/fake-customer';
import { lateBeside } from '../setup/late-beside';
import { layTestPage } from '../setup/lay-test-page';
import { holding } from '../setup/holding';
import { loopbackAgent } from '../setup/loopback-agent';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';

const HARVEST = 'bytes of a record that waits';
const ANSWER = 'the answer of a customer';
const GRANTS = 3;
const KILLS = cases(8, 120);
const SEED = Number(process.env['GDX_SEED'] ?? 20261121);

const agent = loopbackAgent();
const log = pino({ level: 'silent' });
let store: Store;
let customer: FakeCustomer;
let receiver: AlertReceiver;
let signingSecret = '';
beforeAll(async () => {
  customer = await FakeCustomer.start();
  receiver = await AlertReceiver.start(() => signingSecret);
});
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'other', customer.baseUrl);
});

const partsOf = (through: Store) => ({ store: through, temporal: hearingSignals().temporal });
const asker = () =>
  ({ by: 'Maria', via: 'gdx', reason: 'contract ended', request_id: 'r', action_id: randomUUID() }) as const;
const keysOf = (slug: string) =>
  Array.from({ length: GRANTS }, (_, index) => ({
    channel: slug,
    partner_id: `policy-${index}`,
    farmer: farmerOf(store, `701555014${index}`),
    account: `42-${index}`,
  }));

/** A channel that has everything that a channel can have. @returns what must not be found once it is closed */
async function addFull(slug: string): Promise<{ apiKey: string; secrets: Buffer[] }> {
  const added = await addTestChannel(store, slug, 'https://acme.example', {
    scope: 'subscribed',
    delivery: 'pull',
    authorization: 'Bearer of Acme',
    headers: [{ name: 'X-Gateway', value: 'key of the gateway' }],
  });
  signingSecret = added.signingSecret;
  const { linkKey } = await newLinkKey(store, slug, 0);
  await grantAccounts(store, (await findChannel(store, slug))!, keysOf(slug));
  await setChannel(store, slug, { notify_url: receiver.url.split('?')[0]! });
  await startMarker(store, slug, 'tickets', 3);
  await store.client.withSession((session) => beginCatchUps(store, slug, 'tickets', session));
  await layTestPage(store, (await findChannel(store, slug))!, { body: Buffer.from(HARVEST) });
  await setAside(store, {
    ...{ channel: slug, entity_type: 'tickets', record: '42-1', position: 1, failure: 'refused' },
    ...{ status: 422, answer: ANSWER, delivery: 'delivery/x' },
  });
  await pauseCodes(store, slug, { reason: ANSWER, by: 'Maria', at: new Date() } as never);
  await raiseAlert(store, { channel: slug, class: 'stale', message: 'nothing confirmed' }, new Date());
  const kept = (await findChannel(store, slug))!;
  const keys = await store.db.collection('link_keys').findOne({ _id: slug as never });
  const page = await store.db.collection('waiting_pages').findOne({ channel: slug });
  const sealed = [
    kept.authorization!,
    ...kept.headers!.map((header) => header.sealed),
    ...kept.signing_secrets.flatMap((signing) => [signing.sealed, signing.pair.sealed]),
    keys!['keys'][0].sealed,
    page!['laid'].body,
  ];
  const texts = [linkKey, added.signingSecret, added.apiKey, kept.api_key_hashes[0]!, ANSWER, HARVEST];
  return {
    apiKey: added.apiKey,
    secrets: [...sealed.map(bytesOf), ...texts.map((text) => Buffer.from(text))],
  };
}

const bytesOf = (stored: Buffer | BSON.Binary) => Buffer.from('buffer' in stored && 'sub_type' in stored ? stored.buffer : (stored as Buffer)); // prettier-ignore

const closeThrough = async (through: Store, slug: string) =>
  close.run(partsOf(through), (await findEvenClosed(store, slug))!, {}, asker());

/** The minutes that come: the API's round, the notices, the reconciler's pass. @returns which workflows were stopped */
async function passMinutes(slug: string, through = store): Promise<string[]> {
  const stopped: string[] = [];
  await endGrants(partsOf(through), new Date());
  await createTellCustomers({ store: through, agent, log })();
  const earlier = new Date(Date.now() - 3_600_000);
  await channels(store).updateOne({ _id: slug, state: 'closed' }, { $set: { 'closed.at': earlier } });
  const temporal = {
    ...hearingSignals().temporal,
    runningChannels: async () => ['other', slug],
    stop: async (one: string) => void stopped.push(one),
  };
  await createReconcile({ store: through, temporal, log })();
  return stopped;
}

async function whatIsLeft(slug: string) {
  const { state, closed, notify_url } = (await findEvenClosed(store, slug))!;
  const counts: Record<string, number> = {};
  for (const name of ['markers', 'waiting_pages', 'set_aside', 'link_keys', 'paused_codes']) {
    const of = name === 'link_keys' || name === 'paused_codes' ? { _id: slug as never } : { channel: slug };
    counts[name] = await store.db.collection(name).countDocuments(of);
  }
  return {
    state,
    isForgotten: closed?.forgotten_at !== undefined && notify_url === undefined,
    granted: await subscriptions(store).countDocuments({ channel: slug, state: 'granted' }),
    toDelete: await subscriptions(store).countDocuments({ channel: slug, deletion: { $ne: null } }),
    ledger: (await verifyConsents(store, slug, new Map())).ok,
    alerts: await store.db.collection('alerts').countDocuments({ channel: slug, state: 'open' }),
    ...counts,
  };
}

const NOTHING_LEFT = {
  ...{ state: 'closed', isForgotten: true, granted: 0, toDelete: GRANTS, ledger: true, alerts: 0 },
  ...{ markers: 0, waiting_pages: 0, set_aside: 0, link_keys: 0, paused_codes: 0 },
};

const typesTold = (slug: string) =>
  receiver.received
    .map(({ data, type }) => [(data as { channel?: string }).channel, type] as const)
    .flatMap(([channel, type]) => (channel === slug ? type : []));

test('a channel that is closed sends nothing, tells its customer, ends its grants, and is forgotten but for its name', async () => {
  const { apiKey, secrets } = await addFull('acme');
  const publicKey = (await findChannel(store, 'acme'))!.signing_secrets[0]!.pair.public_key;
  expect(await holding(store, secrets)).toEqual(
    expect.arrayContaining(['channels', 'link_keys', 'waiting_pages']),
  );
  const result = await closeThrough(store, 'acme');
  expect(result).toMatchObject({ outcome: `Nothing more is sent. ${GRANTS} grants of farmers ended.`, grants: GRANTS }); // prettier-ignore
  expect([await findChannel(store, 'acme'), await channelKeys.find(store, apiKey)]).toEqual([null, null]);
  expect((await listChannels(store)).map(({ _id }) => _id)).toEqual(['other']);
  const { signing_secrets, authorization, headers } = (await findEvenClosed(store, 'acme'))!;
  expect([signing_secrets.length, authorization, headers]).toEqual([1, undefined, undefined]);
  expect(await passMinutes('acme')).toEqual(['acme']);
  expect(typesTold('acme')).toEqual(['channel.closed', ...Array(GRANTS).fill('accounts.revoked')]);
  expect([await whatIsLeft('acme'), await holding(store, secrets)]).toEqual([NOTHING_LEFT, []]);
  const keys = listPublicKeys((await findEvenClosed(store, 'acme'))!);
  expect(keys).toEqual([{ public_key: publicKey, from: expect.any(Date), until: expect.any(Date) }]);
  const again = await closeThrough(store, 'acme');
  expect(again!.outcome).toMatch(/^It was closed on \d{4}-\d\d-\d\d already: 0 grants of farmers ended\.$/);
  await expect(addTestChannel(store, 'acme', 'https://acme.example')).rejects.toThrow('exists already');
});

test('a dry run counts what ends, of a channel that is closed as well', async () => {
  await addFull('acme');
  await pushRecords(store, {
    tickets: Array.from({ length: 5 }, (_, n) => ({ id: `t-${n}`, account_id: '1' })),
  });
  const of = async () => (await findEvenClosed(store, 'acme'))!;
  const keys = keysOf('acme').map((key) => ({ ...key, partner_id: 'a second policy' }));
  await grantAccounts(store, await of(), keys);
  const preview = async () => close.preview!(partsOf(store), await of(), {});
  expect(await preview()).toEqual({
    grants: 2 * GRANTS,
    accounts: GRANTS,
    unsent: { records: 2, at_least: false },
    isClosed: false,
  });
  await closeChannel(store, 'acme', 'contract ended');
  expect(await preview()).toEqual({
    grants: 2 * GRANTS,
    accounts: GRANTS,
    unsent: { records: 0, at_least: false },
    isClosed: true,
  });
  expect(close.sends!.what({}, await preview())).toBe(
    `nothing more, as it is closed, with ${2 * GRANTS} grants of farmers for ${GRANTS} accounts`,
  );
});

test('what signs the last notices stays until they are told', async () => {
  await addFull('acme');
  await closeThrough(store, 'acme');
  const late = { ...(await findEvenClosed(store, 'acme'))! };
  const inAnHour = new Date(Date.now() + 3_600_000);
  expect(await forgetClosed(store, late, inAnHour)).toBe(false);
  expect((await findEvenClosed(store, 'acme'))!.signing_secrets).toHaveLength(1);
  await createTellCustomers({ store, agent, log })();
  expect(await forgetClosed(store, late, new Date())).toBe(false); // a delivery may still be in flight
  expect(await forgetClosed(store, late, inAnHour)).toBe(true);
});

test('a close that was killed before any grant ended is finished by the API and the worker', async () => {
  const { secrets } = await addFull('acme');
  await closeChannel(store, 'acme', 'contract ended');
  await passMinutes('acme');
  expect([await whatIsLeft('acme'), await holding(store, secrets)]).toEqual([NOTHING_LEFT, []]);
});

test('nothing opens a closed channel, nor gives it a secret', async () => {
  const channel = (await addFull('acme')) && (await findChannel(store, 'acme'))!;
  await closeThrough(store, 'acme');
  const closed = await findEvenClosed(store, 'acme');
  await pauseChannel(store, 'acme', 'harvest');
  await resumeChannel(store, 'acme');
  await setChannel(store, 'acme', { authorization: 'Bearer again' });
  expect(await channelKeys.rotate(store, 'acme', 0)).toBeNull();
  expect(await rotateSigningSecret(store, 'acme', { atOnce: true })).toBeNull();
  await expect(grantAccounts(store, channel, keysOf('acme'))).rejects.toThrow(TermsChanged);
  expect(await findEvenClosed(store, 'acme')).toEqual(closed);
  for (const deed of ACTIONS) {
    const read = readInput(deed, () => undefined, closed!);
    const says = 'found' in read ? read.found[0]!.flaw.says : 'done';
    expect([deed.name, says]).toEqual([
      deed.name,
      deed === close
        ? 'done'
        : expect.stringMatching(/^the channel was closed on .*: it does not open again$/),
    ]);
  }
});

scaledTest(
  'killed at random and run again, nothing is half closed, and the other channel has its pages',
  async () => {
    const random = randomOf(SEED);
    await addFull('whole');
    const whole = dyingAt(store, Infinity, false);
    await closeThrough(whole.through, 'whole');
    const inDeed = whole.calls();
    await passMinutes('whole', whole.through);
    const inAll = whole.calls();
    const worker = new ActivityWorker('other', { store, agent, customer });
    for (let kill = 0; kill < KILLS; kill++) {
      const slug = `acme-${kill}`;
      const { secrets } = await addFull(slug);
      const { through } = dyingAt(store, 1 + Math.floor(random() * inAll), random() < 0.5);
      const dies = async () => {
        await closeThrough(through, slug);
        await passMinutes(slug, through);
      };
      await dies().catch((error: Error) => expect(error.message).toMatch(/killed/));
      await pushRecords(store, { tickets: [{ id: `t-${kill}`, account_id: '1' }] });
      await worker.run({});
      expect(customer.pages.at(-1)!.records.map(({ remote_id }) => remote_id)).toEqual([`t-${kill}`]);
      const isClosed = (await findEvenClosed(store, slug))!.state === 'closed';
      if (!isClosed || random() < 0.5) await closeThrough(store, slug);
      await passMinutes(slug);
      expect([SEED, kill, await whatIsLeft(slug), await holding(store, secrets)]).toEqual([
        SEED,
        kill,
        NOTHING_LEFT,
        [],
      ]);
    }
    expect(inDeed).toBeGreaterThan(10);
  },
  600_000,
);

nightlyTest(
  'while a channel with 5,000 grants closes, dying again and again, the pages of another are at most 1.3 times as late',
  async () => {
    const THOUSANDS = 5_000;
    await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
    const acme = (await findChannel(store, 'acme'))!;
    for (let first = 0; first < THOUSANDS; first += 500) {
      const keys = Array.from({ length: 500 }, (_, index) => {
        const farmer = farmerOf(store, `70${first + index}`.padEnd(10, '0'));
        return {
          channel: 'acme',
          partner_id: `policy-${first + index}`,
          farmer,
          account: `42-${first + index}`,
        };
      });
      await grantAccounts(store, acme, keys);
    }
    const theirs = new ActivityWorker('other', { store, agent, customer });
    await theirs.run();
    const page = async () => {
      await pushRecords(store, { tickets: [{ id: 'theirs', account_id: '9', n: randomUUID() }] });
      await theirs.run();
    };
    const random = randomOf(SEED);
    const granted = () => subscriptions(store).countDocuments({ channel: 'acme', state: 'granted' });
    let deaths = 0;
    const { pages, ratio } = await lateBeside(page, async () => {
      for (let isDead = true; isDead;) {
        const { through } = dyingAt(store, 200 + Math.floor(random() * 2_000), random() < 0.5);
        const dies = async () => {
          if (await findChannel(through, 'acme')) await closeThrough(through, 'acme');
          else await endGrants(partsOf(through), new Date());
        };
        isDead = await dies().then(
          () => false,
          () => true,
        );
        deaths += Number(isDead);
      }
      await passMinutes('acme');
    });
    console.log(`${deaths} deaths`);
    expect([await granted(), (await findEvenClosed(store, 'acme'))!.closed?.forgotten_at]).toEqual([
      0,
      expect.any(Date),
    ]);
    expect(pages).toBeGreaterThan(20);
    expect(ratio).toBeLessThan(1.3);
  },
  300_000,
);
