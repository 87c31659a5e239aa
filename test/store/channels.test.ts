import { MongoServerError } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import {
  addIntegration,
  companyNames,
  integrationTokens,
  listIntegrations,
} from '../../store/callers/integrations';
import { pauseFailing } from '../../store/deliveries/channel-health';
import {
  type Channel,
  ChannelExists,
  channelPages,
  channels,
  listPublicKeys,
  findChannel,
  channelKeys,
  leastPageSize,
  limitPageSize,
  listChannels,
  openSecrets,
  pageSizeOf,
  pauseChannel,
  resumeChannel,
  takeRun,
} from '../../store/channels/channels';
import { markerId } from '../../store/markers/markers';
import {
  countReleased,
  countSetAside,
  listReleased,
  listSetAside,
  releaseForResend,
  releaseSetAside,
  setAside,
} from '../../store/deliveries/set-aside';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { SealUnfit } from '../../store/secrets/channel-seal';
import { createCustomerSecrets, CustomerKeyMissing } from '../../store/secrets/customer-secrets';
import { type ChannelChanges, setChannel } from '../../store/channels/set-channel';
import { rotateSigningSecret } from '../../store/channels/signing-secrets';
import { confirmWaitingPage } from '../../store/markers/confirm-waiting-page';
import { askForPage, noteNothing, readAsks, readWaitingState } from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY } from '../../store/unavailable';
import { inTransaction } from '../../store/transact';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { layTestPage } from '../setup/lay-test-page';
import { emptyStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { slowTest } from '../setup/cases';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

/** A store whose first call to a collection loses to another's: the server lets one of two inserts fail. */
function losing(collection: string, first: () => Promise<unknown>): Store {
  let has: Promise<unknown> | undefined;
  return rewire(store, async (call) => {
    if (call.collection !== collection || has) return call.run();
    await (has = first());
    throw new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
  });
}

describe('channels', () => {
  const acme = () =>
    addTestChannel(store, 'acme', 'https://acme.example', { authorization: 'Bearer geheim' });

  slowTest('a channel is found by its slug and by its key, and by no other', async () => {
    const { apiKey } = await acme();
    expect(await channelKeys.find(store, apiKey)).toMatchObject({ _id: 'acme', state: 'active', run: 0 });
    const { apiKey: ours } = await addTestChannel(store, 'bison', 'https://bison.example');
    expect((await channelKeys.find(store, ours))?._id).toBe('bison');
    const typo = ours.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await channelKeys.find(store, typo)).toBeNull();
    expect(await findChannel(store, 'Acme')).toBeNull();
    expect((await listChannels(store)).map(({ _id }) => _id)).toEqual(['acme', 'bison']);
  });

  test('page by page every channel is seen once, also where a page is just full', async () => {
    const slugs = ['acme', 'bison', 'credit', 'hail'];
    for (const slug of slugs) await addTestChannel(store, slug, 'https://acme.example');
    for (const size of [1, 2, 3, 4, 5]) {
      const pages = [];
      for await (const page of channelPages(store, size)) pages.push(page.map(({ _id }) => _id));
      expect(pages.flat()).toEqual(slugs);
      expect(pages.every(({ length }) => length <= size)).toBe(true);
    }
  });

  test('its secrets open for sending, and stand nowhere in the clear', async () => {
    const { channel, apiKey, signingSecret } = await acme();
    const stored = JSON.stringify(await store.db.collection('channels').findOne({}));
    for (const secret of [apiKey, signingSecret, 'geheim']) expect(stored).not.toContain(secret);
    expect(await openSecrets(store, channel, new Date())).toEqual({
      authorization: 'Bearer geheim',
      headers: {},
      signingSecrets: [signingSecret],
      signingKeys: [expect.stringMatching(/^whsk_/)],
    });
    const signing_secrets = channel.signing_secrets.map((one) => ({ ...one, expires_at: new Date(0) }));
    const old = { ...channel, signing_secrets };
    expect((await openSecrets(store, old, new Date())).signingSecrets).toEqual([]);
  });

  test('an address of another origin needs what opens its secrets, and what is changed at once is not lost', async () => {
    await acme();
    const move = (through = store) => setChannel(through, 'acme', { base_url: 'https://new.example/x' });
    const sealing = createCustomerSecrets({ ...DEVELOPMENT_CUSTOMER_KEYS, privateKeys: [] });
    await expect(move({ ...store, customerSecrets: sealing } as Store)).rejects.toThrow(CustomerKeyMissing);
    let rotated: string | undefined;
    const raced = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'channels' && method === 'findOneAndUpdate' && !rotated)
        rotated = (await rotateSigningSecret(store, 'acme', { atOnce: true }))!.signingSecret;
      return run();
    });
    const moved = (await move(raced))!;
    expect(await openSecrets(store, moved, new Date())).toMatchObject({
      authorization: 'Bearer geheim',
      signingSecrets: [rotated],
    });
    const back = { ...moved, base_url: 'https://acme.example' };
    await expect(openSecrets(store, back, new Date())).rejects.toThrow(SealUnfit);
  });

  test('a slug is taken once', async () => {
    await acme();
    await expect(acme()).rejects.toThrow(ChannelExists);
  });

  test('pause and resume', async () => {
    await acme();
    const paused = new Date();
    expect(await pauseChannel(store, 'acme', 'audit')).toMatchObject({ state: 'active' }); // as it was
    expect(await findChannel(store, 'acme')).toMatchObject({ state: 'paused', paused: { reason: 'audit' } });
    expect(await resumeChannel(store, 'acme')).toMatchObject({ state: 'paused' }); // as it was
    const resumed = await findChannel(store, 'acme');
    expect([resumed?.state, resumed?.paused]).toEqual(['active', undefined]);
    expect(resumed!.fresh_at!.getTime()).toBeGreaterThanOrEqual(paused.getTime()); // its time begins anew
    expect(await pauseChannel(store, 'nobody', 'x')).toBeNull();
  });

  test('the reason of a pause is kept without phones', async () => {
    await acme();
    await pauseChannel(store, 'acme', 'asked by Dale, 701-555-0142');
    const paused = await findChannel(store, 'acme');
    expect(paused?.paused?.reason).toMatch(/^asked by Dale/);
    expect(paused?.paused?.reason).not.toContain('0142');
  });

  test('a page size learnt from a 413 doubles every six hours, up to the one that is set', async () => {
    const { channel } = await acme();
    const at = new Date();
    const learnt = { ...channel, page_size: 1_000, page_limits: { tickets: { records: 100, at } } };
    const after = (hours: number) => pageSizeOf(learnt, 'tickets', at.getTime() + hours * 3_600_000);
    expect([-1, 0, 5.9, 6, 12, 18, 24, 500].map(after)).toEqual([100, 100, 100, 200, 400, 800, 1_000, 1_000]);
    expect(pageSizeOf(learnt, 'accounts', at.getTime())).toBe(1_000);
  });

  test('a page size that an earlier release has learnt holds for each type until that has its own', async () => {
    const { channel } = await acme();
    const at = new Date();
    const limits = { page_limit: { records: 100, at }, page_limits: { tickets: { records: 25, at } } };
    const learnt = { ...channel, page_size: 1_000, ...limits };
    expect(pageSizeOf(learnt, 'accounts', at.getTime())).toBe(100);
    expect(leastPageSize(learnt, at.getTime())).toBe(25);
    await store.db.collection<Channel>('channels').updateOne({ _id: 'acme' }, { $set: limits });
    expect(leastPageSize((await setChannel(store, 'acme', { page_size: 700 }))!, at.getTime())).toBe(700);
  });

  test('a page size that is set ends what was learnt; another setting does not', async () => {
    await acme();
    await limitPageSize(store, 'acme', 'tickets', 100);
    const now = Date.now();
    const changed = async (to: ChannelChanges) =>
      pageSizeOf((await setChannel(store, 'acme', to))!, 'tickets', now);
    expect(await changed({ cadence_ms: 60_000 })).toBe(100);
    expect(await changed({ page_size: 700 })).toBe(700);
  });

  test('every run has a number of its own', async () => {
    await acme();
    const runs = await Promise.all([1, 2, 3, 4].map(() => takeRun(store, 'acme')));
    expect(runs.sort()).toEqual([1, 2, 3, 4]);
  });

  test('an integration is found by its token, which is not stored', async () => {
    const { integration, token } = await addIntegration(store, { name: 'agris', company: COMPANY });
    expect(await integrationTokens.find(store, token)).toEqual(integration);
    expect(JSON.stringify(await listIntegrations(store))).not.toContain(token);
    const { apiKey } = await acme();
    expect(await integrationTokens.find(store, apiKey)).toBeNull();
  });

  test('a company has the name that its newest integration gives it', async () => {
    for (const [index, name] of ['Prairie Elevator', 'Prairie Co-op'].entries()) {
      const { integration } = await addIntegration(store, { name: 'agris', company: { ...COMPANY, name } });
      const created_at = new Date(Date.UTC(2026, index));
      await store.db
        .collection<{ _id: string }>('integrations')
        .updateOne({ _id: integration._id }, { $set: { created_at } });
    }
    await addIntegration(store, { name: 'agris', company: { id: '43', name: 'Valley Grain' } });
    expect(await companyNames(store, ['42'])).toEqual(new Map([['42', 'Prairie Co-op']]));
  });
});

describe('channel-health', () => {
  const SINCE = new Date('2026-11-21T08:00:00Z');

  beforeEach(async () => {
    await addTestChannel(store, 'acme', 'https://acme.example');
    const failing = { since: SINCE, failure: 'unauthorized', failure_since: SINCE } as const;
    await store.db.collection<Channel>('channels').updateOne({ _id: 'acme' }, { $set: { failing } });
  });

  const pause = () => pauseFailing(store, 'acme', SINCE, { reason: 'Acme answered 401', at: new Date() });
  const acme = async () => (await findChannel(store, 'acme'))!;

  test('a channel pauses for the trouble that it still has', async () => {
    await pause();
    expect(await acme()).toMatchObject({ state: 'paused', paused: { reason: 'Acme answered 401' } });
  });

  test('an operator who was faster keeps the reason', async () => {
    await pauseChannel(store, 'acme', 'audit');
    await pause();
    expect((await acme()).paused).toMatchObject({ reason: 'audit' });
  });

  test('one that was resumed meanwhile stays active', async () => {
    await resumeChannel(store, 'acme');
    await pause();
    expect((await acme()).state).toBe('active');
  });
});

describe('signing-secrets', () => {
  const BEGIN = Date.now();
  const inHours = (hours: number) => new Date(BEGIN + hours * 3_600_000);

  let first: string;
  beforeEach(async () => {
    ({ signingSecret: first } = await addTestChannel(store, 'acme', 'https://acme.example'));
  });

  const rotate = async (hours: number, through = store) =>
    (await rotateSigningSecret(through, 'acme', { atOnce: false }, inHours(hours)))!.signingSecret;
  const signing = async (hours: number) => {
    const acme = (await findChannel(store, 'acme'))!;
    const { signingSecrets, signingKeys } = await openSecrets(store, acme, inHours(hours));
    expect(signingKeys).toHaveLength(signingSecrets.length);
    return signingSecrets;
  };

  test('changed twice in a day: each secret signs for 24 hours after it was replaced, and is then kept no longer', async () => {
    const second = await rotate(0);
    const third = await rotate(10);
    expect(await signing(23)).toEqual([third, second, first]);
    expect(await signing(25)).toEqual([third, second]);
    const fourth = await rotate(25);
    expect(await signing(26)).toEqual([fourth, third, second]);
    expect((await findChannel(store, 'acme'))!.signing_secrets).toHaveLength(3);
  });

  test('each public key stays, with the time in which it signs, whatever is rotated; a page of any day is checked by one of them', async () => {
    const keys = async () => listPublicKeys((await findChannel(store, 'acme'))!);
    const at = (date: Date | null) => date && Math.round((date.getTime() - BEGIN) / 3_600_000);
    await rotate(0);
    await rotate(10);
    await rotateSigningSecret(store, 'acme', { atOnce: true }, inHours(12));
    const last = await rotate(100);
    const times = (await keys()).map(({ from, until }) => [at(from), at(until)]);
    expect(times).toEqual([
      [100, null],
      [12, 124],
      [10, 12],
      [0, 12],
      [0, 12],
    ]);
    expect(new Set((await keys()).map(({ public_key }) => public_key)).size).toBe(5);
    expect(await signing(130)).toEqual([last]);
    await channels(store).updateOne(
      { _id: 'acme' },
      { $unset: { past_keys: '', 'signing_secrets.0.from': '' } },
    );
    expect((await keys()).map(({ from, until }) => [at(from), at(until)])).toEqual([
      [null, null],
      [12, 124],
    ]);
  });

  test('changed twice at the same time: both secrets sign, as each was shown to somebody', async () => {
    let meanwhile: string | undefined;
    const slow = rewire(store, async ({ method, run }) => {
      const read = await run();
      if (method === 'findOne') meanwhile ??= await rotate(0);
      return read;
    });
    const last = await rotate(0, slow);
    expect(await signing(1)).toEqual([last, meanwhile, first]);
  });
});

describe('set-aside', () => {
  // With deliveries beside it: test/commit-order/set-aside.test.ts.

  const refuse = (channel: string, entity_type: EntityType, record: string, position = 1) => {
    const refused = { failure: 'refused', status: 422, answer: '', delivery: 'delivery/x' } as const;
    const aside = { channel, entity_type, record, position, ...refused };
    return inTransaction(store, (session) => setAside(store, aside, undefined, session));
  };

  const REFUSED = [
    ['acme', 'accounts', '42-1'],
    ['acme', 'tickets', '42-1'],
    ['acme', 'tickets', '42-2'],
    ['acme', 'tickets', '42-3'],
    ['bison', 'tickets', '42-1'],
  ] as const;
  const refuseAll = async () => {
    for (const [channel, type, record] of REFUSED) await refuse(channel, type, record);
  };

  const released = async (channel: string, type?: EntityType, after?: string) =>
    (await listReleased(store, channel, type, after)).map(
      ({ entity_type, record }) => `${entity_type} ${record}`,
    );
  const counts = () =>
    Promise.all(
      (['accounts', 'tickets'] as const).flatMap((entity_type) =>
        ['acme', 'bison'].map((channel) => countReleased(store, { channel, entity_type })),
      ),
    );

  test('those that are named are released, and no other waits to be sent again', async () => {
    await refuseAll();
    const records = ['42-1', '42-3'];
    expect(await releaseSetAside(store, 'acme', { entity_type: 'tickets', records })).toBe(2);
    expect(await released('acme')).toEqual(['tickets 42-1', 'tickets 42-3']);
    expect([await released('bison'), await counts()]).toEqual([[], [0, 0, 2, 0]]);
  });

  test('an empty list names none: nothing is released', async () => {
    await refuseAll();
    expect(await releaseSetAside(store, 'acme', { records: [] })).toBe(0);
    expect(await releaseSetAside(store, 'acme', { entity_type: 'tickets', records: [] })).toBe(0);
    expect([await released('acme'), await counts()]).toEqual([[], [0, 0, 0, 0]]);
  });

  test('all of a channel are released, those of each type for its own deliveries, and none of another channel', async () => {
    await refuseAll();
    expect(await releaseSetAside(store, 'acme', {})).toBe(4);
    expect(await released('acme', 'accounts')).toEqual(['accounts 42-1']);
    expect(await released('acme', 'tickets')).toEqual(['tickets 42-1', 'tickets 42-2', 'tickets 42-3']);
    expect([await released('bison'), await counts()]).toEqual([[], [1, 0, 3, 0]]);
  });

  test('what is asked for again of one channel is sent to no other', async () => {
    const lane = { channel: 'bison', entity_type: 'tickets' } as const;
    await releaseForResend(store, lane, [{ id: '42-9', position: 9 }]);
    expect([await released('acme'), await released('bison')]).toEqual([[], ['tickets 42-9']]);
  });

  test('what is released is listed on from behind the last one that was listed', async () => {
    await refuseAll();
    await releaseSetAside(store, 'acme', {});
    expect(await released('acme', 'tickets', '42-1')).toEqual(['tickets 42-2', 'tickets 42-3']);
    expect(await released('acme', 'tickets', '42-3')).toEqual([]);
  });

  test('refusals are listed of one type where one is asked for', async () => {
    await refuseAll();
    const listed = await listSetAside(store, 'acme', { entity_type: 'accounts' });
    expect(listed).toMatchObject([{ entity_type: 'accounts', record: '42-1' }]);
  });

  test('of two refusals of a record at once the newer one stays, also where it comes to be written second', async () => {
    const both = [5, 7].map((position) => refuse('acme', 'tickets', '42-1', position));
    await Promise.all([...both, refuse('acme', 'tickets', '42-2', 7)]);
    await Promise.all([refuse('acme', 'tickets', '42-2', 5)]);
    expect(await listSetAside(store, 'acme')).toMatchObject([{ position: 7 }, { position: 7 }]);
  });

  test('of a type that was taken from the channel nothing is listed, counted or released, until it is added again', async () => {
    await addTestChannel(store, 'acme', '', { entity_types: ['tickets', 'accounts'] });
    await refuseAll();
    const seen = async () => {
      const acme = (await findChannel(store, 'acme'))!;
      const listed = (await listSetAside(store, 'acme')).map(({ entity_type }) => entity_type);
      return [listed, (await countSetAside(store, [acme])).get('acme')];
    };
    const tickets = ['tickets', 'tickets', 'tickets'];
    await setChannel(store, 'acme', { entity_types: ['tickets'] });
    expect(await seen()).toEqual([tickets, 3]);
    expect(await releaseSetAside(store, 'acme', { entity_type: 'accounts' })).toBe(0);
    expect(await listSetAside(store, 'acme', { entity_type: 'accounts' })).toEqual([]);
    await setChannel(store, 'acme', { entity_types: ['tickets', 'accounts'] });
    expect(await seen()).toEqual([['accounts', ...tickets], 4]);
    await setChannel(store, 'acme', { entity_types: ['tickets'] });
    expect(await releaseSetAside(store, 'acme', {})).toBe(3);
    expect(await released('acme')).toEqual(tickets.map((_, index) => `tickets 42-${index + 1}`));
  });
});

describe('waiting-pages', () => {
  // With a worker beside it: test/activities/deliver/give-out.test.ts.

  const ID = markerId('acme', 'tickets');
  const KEPT = 50;
  let channel: Channel;

  beforeEach(async () => {
    for (const slug of ['acme', 'bison']) await addTestChannel(store, slug, '', { delivery: 'pull' });
    channel = (await findChannel(store, 'acme'))!;
    await ask();
  });

  const ask = (slug = 'acme', through = store) => askForPage(through, slug, 'tickets');
  const waiting = () => readWaitingState(store, 'acme', 'tickets');
  const change = (update: object) =>
    store.db.collection<{ _id: string }>('waiting_pages').updateOne({ _id: ID }, update);

  test('two first questions at once both count', async () => {
    const asked = await ask(
      'bison',
      losing('waiting_pages', () => ask('bison')),
    );
    expect(asked).toEqual({ asks: 2, isAnother: true });
  });

  test('the last fifty pages can be confirmed again, by their own customer', async () => {
    await change({ $set: { passed: Array.from({ length: KEPT }, (_, page) => `msg_${page}`) } });
    await layTestPage(store, channel, { page: `msg_${KEPT}` });
    const confirmed = (page: number, slug = 'acme') => confirmWaitingPage(store, slug, `msg_${page}`);
    await ask('bison');
    expect(await confirmed(KEPT, 'bison')).toBeNull();
    expect(await confirmed(KEPT)).toBe('tickets');
    const [dropped, ...kept] = await Promise.all([0, 1, KEPT].map((page) => confirmed(page)));
    expect([dropped, kept]).toEqual([null, ['tickets', 'tickets']]);
    expect(await confirmed(KEPT, 'bison')).toBeNull();
  });

  test('a question hears whether another waits already', async () => {
    expect(await ask()).toEqual({ asks: 2, isAnother: true });
    await noteNothing(store, 'acme', 'tickets', 2);
    expect(await ask()).toEqual({ asks: 3, isAnother: false });
    await layTestPage(store, channel, { asks: 4 });
    expect(await ask()).toEqual({ asks: 5, isAnother: false });
    await confirmWaitingPage(store, 'acme', 'msg_1'); // which asks for the next page
    expect(await ask()).toEqual({ asks: 7, isAnother: true });
  });

  test('a plan answers the questions of its own channel', async () => {
    for (let times = 0; times < 3; times += 1) await ask('bison');
    expect(await readAsks(store, 'acme')).toEqual(new Map([['tickets', 1]]));
    expect(await readAsks(store, 'bison')).toEqual(new Map([['tickets', 3]]));
  });

  test('that there was nothing ends what waited', async () => {
    await layTestPage(store, channel);
    await noteNothing(store, 'acme', 'tickets', 2);
    expect(await waiting()).not.toHaveProperty('page');
  });

  test('that there was nothing is noted by a plan that stood still, and a page laid out since stays', async () => {
    await layTestPage(store, channel, { asks: 2 });
    await noteNothing(store, 'acme', 'tickets', 1);
    expect(await waiting()).toMatchObject({ settled: 1, page: 'msg_1' });
  });

  test('that there was nothing once is no answer to questions that are counted anew', async () => {
    await noteNothing(store, 'acme', 'tickets', 7); // of before it was swept
    expect(await waiting()).not.toHaveProperty('settled');
    await noteNothing(store, 'acme', 'tickets', 1);
    expect(await waiting()).toMatchObject({ asks: 1, settled: 1 });
  });
});
