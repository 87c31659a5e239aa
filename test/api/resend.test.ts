import { listActions } from '../../store/callers/operator-actions';
import { findChannel, pauseChannel, channelKeys } from '../../store/channels/channels';
import { listReleased, listSetAside, releaseSetAside, setAside } from '../../store/deliveries/set-aside';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { COMPANY, pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';
import { type Api, channelKey, expectError, hearingSignals, startApi } from './start-api';
import { slowTest } from '../setup/cases';
import { nextPage } from '../../api/customer/next-page';
import { createByteBudget } from '../../api/limits/byte-budget';
import { askForPage, type LaidPage, noteNothing, readWaitingState } from '../../store/markers/waiting-pages';
import { layTestPage } from '../setup/lay-test-page';
import { eventually } from '../setup/eventually';
import { randomBytes } from 'node:crypto';
import { BSON, type Document } from 'mongodb';
import { readMarkers } from '../../store/markers/markers';
import { setChannel } from '../../store/channels/set-channel';

let api: Api;

describe('resend', () => {
  const { temporal, signals } = hearingSignals();
  let key: string;
  beforeAll(async () => {
    api = await startApi({ temporal });
    key = await channelKey(api.store, 'acme', { companies: [COMPANY.id] });
    await pushRecords(api.store, {
      tickets: ['1', '2', '3'].map((id) => ({ id, account_id: id === '3' ? 'B' : 'A' })),
    });
    await pushRecords(api.store, { tickets: [{ id: '9', account_id: 'A' }] }, { id: '77', name: 'Other' });
  });
  beforeEach(async () => {
    signals.length = 0;
    await api.store.db.collection('set_aside').deleteMany({});
  });

  const ask = (body: unknown, token = key, slug = 'acme') =>
    api.ask('POST', `/api/v1/channels/${slug}/resend`, { token, body });
  const released = async () => (await listReleased(api.store, 'acme')).map(({ record }) => record);
  const tickets = (more: object) => ({ entity_type: 'tickets', ...more });

  test('sends the known ones, tells the others, moves no marker, and signals once', async () => {
    const answer = await ask(tickets({ ids: ['42-1', '42-2', '42-1', '77-9', '42-none'] }));
    expect([answer.status, answer.json]).toEqual([
      200,
      { records: 2, unknown: ['77-9', '42-none'], starts: 'now' },
    ]);
    expect(await released()).toEqual(['42-1', '42-2']);
    expect(await api.store.db.collection('markers').countDocuments()).toBe(0);
    expect(signals).toMatchObject([
      { slug: 'acme', signal: 'settingsChanged', args: [{ reason: 'released' }] },
    ]);
    const [action] = await listActions(api.store, 'acme', 1);
    expect(action).toMatchObject({
      action: 'resend',
      via: 'API',
      about: '2 tickets',
      outcome: 'Resends 2 tickets.',
    });
  });

  test('an account’s', async () => {
    expect((await ask(tickets({ account: '42-A' }))).json).toMatchObject({ records: 2, unknown: [] });
    expect(await released()).toEqual(['42-1', '42-2']);
    expect((await ask(tickets({ account: '77-A' }))).json).toMatchObject({ records: 0, unknown: ['77-A'] });
  });

  test('with those of an account go the ones that were corrected away from it', async () => {
    for (const account_id of ['C', 'D'])
      await pushRecords(api.store, { tickets: [{ id: 'moved', account_id }] });
    for (const account of ['42-C', '42-D']) {
      expect((await ask(tickets({ account }))).json).toMatchObject({ records: 1, unknown: [] });
      expect(await released()).toEqual(['42-moved']);
    }
  });

  slowTest('an account of more than a hundred thousand is told to reset instead', async () => {
    const many = Array.from({ length: 100_001 }, (_, position) => ({
      ...{ _id: `42-${position}`, company_id: '42', position, account_ids: ['42-A'] },
    }));
    const store = rewire(api.store, ({ collection, run }) =>
      collection === 'tickets' ? Promise.resolve(many) : run(),
    );
    const crowded = await startApi({ store });
    const path = '/api/v1/channels/acme/resend';
    const answer = await crowded.ask('POST', path, { token: key, body: tickets({ account: '42-A' }) });
    await crowded.stop();
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages.account).toEqual([
      expect.stringMatching(/100,000.*reset the marker/),
    ]);
    expect(await released()).toEqual([]);
  });

  test('an account that is not shared is unknown, also where a split names one that is', async () => {
    const token = await channelKey(api.store, 'split', { scope: 'subscribed' });
    const splits = ['E', 'F'].map((account_id) => ({ account_id, split_percent: 50 }));
    await pushRecords(api.store, { tickets: [{ id: 'split', splits }] });
    const key = { channel: 'split', partner_id: 'P', farmer: 'f1', account: '42-E' };
    await grantAccounts(api.store, (await findChannel(api.store, 'split'))!, [key]);
    await api.store.db.collection('subscriptions').updateMany({}, { $set: { to_begin: [] } });
    const resent = async (account: string) => (await ask(tickets({ account }), token, 'split')).json;
    expect(await resent('42-E')).toMatchObject({ records: 1, unknown: [] });
    expect(await resent('42-F')).toMatchObject({ records: 0, unknown: ['42-F'] });
  });

  test('what is null is not given', async () => {
    expect((await ask(tickets({ ids: ['42-1'], account: null }))).json).toMatchObject({ records: 1 });
    expect((await ask(tickets({ ids: null, account: '42-A' }))).json).toMatchObject({ records: 2 });
  });

  test('an account’s one at a time: another is told to wait, and single records are not', async () => {
    const halt = stopHere();
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'set_aside') await halt.here();
      return run();
    });
    const slow = await startApi({ store });
    const path = '/api/v1/channels/acme/resend';
    const first = slow.ask('POST', path, { token: key, body: tickets({ account: '42-A' }) });
    await halt.reached;
    const second = await ask(tickets({ account: '42-A' }));
    expectError(second, 429, 'RATE_LIMITED');
    expect(second.headers['retry-after']).toBe('5');
    expect((await ask(tickets({ ids: ['42-1'] }))).status).toBe(200);
    halt.goOn();
    expect((await first).status).toBe(200);
    expect((await ask(tickets({ account: '42-A' }))).status).toBe(200);
  });

  test('one that fails gives its turn back, and another customer’s is not held up meanwhile', async () => {
    const halt = stopHere();
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection !== 'set_aside') return run();
      await halt.here();
      throw new Error('away');
    });
    const slow = await startApi({ store });
    const bank = await channelKey(api.store, 'bank', { companies: [COMPANY.id] });
    const body = tickets({ account: '42-A' });
    const first = slow.ask('POST', '/api/v1/channels/acme/resend', { token: key, body });
    await halt.reached;
    expect((await ask(body, bank, 'bank')).status).toBe(200);
    halt.goOn();
    expect((await first).status).toBe(500);
    expect((await ask(body)).status).toBe(200);
  });

  test('the longest ids, counted in characters', async () => {
    const id = `42-${'🌾'.repeat(128)}`;
    expect((await ask(tickets({ ids: [id] }))).json).toMatchObject({ records: 0, unknown: [id] });
    expectError(await ask(tickets({ ids: [`${id}${'x'.repeat(63)}`] })), 422, 'VALIDATION_ERROR');
  });

  test('nothing of it known: nothing is signalled', async () => {
    expect((await ask(tickets({ ids: ['42-none'] }))).json).toMatchObject({ records: 0 });
    expect(signals).toEqual([]);
  });

  test('what is not shared is unknown', async () => {
    const token = await channelKey(api.store, 'farmers', { scope: 'subscribed' });
    const unknown = ['42-1', '42-3'];
    expect((await ask(tickets({ ids: unknown }), token, 'farmers')).json).toMatchObject({
      records: 0,
      unknown,
    });
    const account = await ask(tickets({ account: '42-A' }), token, 'farmers');
    expect(account.json).toMatchObject({ records: 0, unknown: ['42-A'] });
  });

  test('is no refusal: it is not listed as set aside, nor released with those', async () => {
    await ask(tickets({ ids: ['42-1'] }));
    expect(await listSetAside(api.store, 'acme')).toEqual([]);
    expect(await releaseSetAside(api.store, 'acme', {})).toBe(0);
  });

  test('one that is set aside is released, and stays what it was', async () => {
    const refusal = { failure: 'refused', status: 422, answer: 'no', delivery: 'd' } as const;
    await setAside(api.store, {
      channel: 'acme',
      entity_type: 'tickets',
      record: '42-1',
      position: 1,
      ...refusal,
    });
    expect((await ask(tickets({ ids: ['42-1'] }))).json).toMatchObject({ records: 1 });
    expect(await listSetAside(api.store, 'acme', { released: true })).toMatchObject([{ answer: 'no' }]);
    expect((await listReleased(api.store, 'acme'))[0]).not.toHaveProperty('resend');
  });

  test('a paused channel sends them later', async () => {
    const token = await channelKey(api.store, 'paused', { companies: [COMPANY.id] });
    await pauseChannel(api.store, 'paused', 'harvest');
    expect((await ask(tickets({ ids: ['42-1'] }), token, 'paused')).json.starts).toBe('paused');
  });

  test('a thousand of the longest ids', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(193, '"'));
    const answer = await ask(tickets({ ids }));
    expect(answer.json).toMatchObject({ records: 0 });
    expect(answer.json.unknown).toEqual(ids);
  });

  describe('422 VALIDATION_ERROR', () => {
    test.each<[string, unknown, string[]]>([
      ['nothing', {}, ['entity_type', 'ids']],
      ['no object', [], ['entity_type', 'ids']],
      ['another type', { entity_type: 'cattle', ids: ['42-1'] }, ['entity_type']],
      ['both', tickets({ ids: ['42-1'], account: '42-A' }), ['ids']],
      ['neither', tickets({ ids: null }), ['ids']],
      ['no id', tickets({ ids: [] }), ['ids']],
      ['1,001 ids', tickets({ ids: Array.from({ length: 1_001 }, (_, index) => `42-${index}`) }), ['ids']],
      ['an id alone', tickets({ ids: '42-1' }), ['ids']],
      ['a number', tickets({ ids: ['42-1', 2] }), ['ids[1]']],
      ['an operator', tickets({ ids: [{ $gt: '' }] }), ['ids[0]']],
      ['an empty id', tickets({ ids: [''] }), ['ids[0]']],
      ['too long an id', tickets({ ids: ['4'.repeat(194)] }), ['ids[0]']],
      ['an operator as account', tickets({ account: { $gt: '' } }), ['account']],
      ['an empty account', tickets({ account: '' }), ['account']],
    ])('%s', async (_, body, fields) => {
      const answer = await ask(body);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(Object.keys(answer.json.validation_messages)).toEqual(fields);
      expect(await released()).toEqual([]);
    });
  });

  test('JSON that is none is 400', async () => {
    expectError(await ask('{"entity_type":'), 400, 'MALFORMED_BODY');
    expectError(await ask(''), 400, 'MALFORMED_BODY');
  });
});

describe('feed', () => {
  beforeAll(async () => {
    api = await startApi();
  });

  let used = 0;

  /** A channel that collects its pages, and what a worker would do for it: there is none here. */
  async function scene() {
    const slug = `pulls-${++used}`;
    const token = await channelKey(api.store, slug, { delivery: 'pull', base_url: '' });
    const channel = (await findChannel(api.store, slug))!;
    const unlimited = createByteBudget(Infinity).lease(slug);
    const next = (temporal = hearingSignals(false).temporal, store = api.store, lease = unlimited) =>
      nextPage({ store, temporal }, { channel: slug, entityType: 'tickets', requestId: 'test', lease });
    const ask = async () => (await askForPage(api.store, slug, 'tickets')).asks;
    return {
      slug,
      next,
      ask,
      get: (headers: Record<string, string> = {}) =>
        api.ask('GET', `/api/v1/channels/${slug}/feed?entity_type=tickets`, { token, headers }),
      nothing: (asks: number) => noteNothing(api.store, slug, 'tickets', asks),
      lay: (own: Partial<LaidPage> = {}) =>
        layTestPage(api.store, channel, { headers: { 'x-request-id': 'of-the-page' }, ...own }),
    };
  }

  const away = expect.objectContaining({ code: 'UNAVAILABLE' });

  slowTest('a page is answered under the id of the question, not under its own', async () => {
    const { lay, get } = await scene();
    await lay();
    const { status, headers } = await get({ 'x-request-id': 'of-the-question' });
    expect([status, headers['webhook-id'], headers['x-request-id']]).toEqual([
      200,
      'msg_1',
      'of-the-question',
    ]);
  });

  test('that there was nothing for an earlier question answers no later one', async () => {
    const { ask, next, nothing } = await scene();
    await nothing(await ask());
    await expect(next()).rejects.toEqual(away);
  });

  test('a page that waits is not given out once the channel is paused, however long ago the question was let in', async () => {
    const { slug, lay, next } = await scene();
    await lay();
    expect((await next())?.headers['webhook-id']).toBe('msg_1');
    await pauseChannel(api.store, slug, 'asked');
    await expect(next()).rejects.toEqual(away);
  });

  test('nor once the key was revoked, with which it was asked for', async () => {
    const { slug, lay, get } = await scene();
    const answer = get();
    await eventually(async () =>
      expect(await readWaitingState(api.store, slug, 'tickets')).toMatchObject({ asks: 1 }),
    );
    await channelKeys.revoke(api.store, slug, 'all');
    await lay();
    expect((await answer).status).toBe(401);
  });

  test('nor once its pages are posted', async () => {
    const { slug, lay, next } = await scene();
    await lay();
    const channels = api.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: slug }, { $set: { delivery: 'push' } });
    await expect(next()).rejects.toEqual(away);
  });

  test('nor once its type was taken from the channel', async () => {
    const { slug, lay, next } = await scene();
    await lay();
    await setChannel(api.store, slug, { entity_types: ['accounts'] });
    await expect(next()).rejects.toEqual(away);
  });

  test('a question that waits reads no bytes, and a page is read once', async () => {
    const { slug, next, lay } = await scene();
    const reads: number[] = [];
    const watched = rewire(api.store, async ({ collection, run }) => {
      const read = await run();
      if (collection !== 'waiting_pages') return read;
      reads.push(BSON.calculateObjectSize((read ?? {}) as Document));
      return read;
    });
    // Laid out before the last grant, so it is not given out.
    await lay({ shares_version: -1, body: randomBytes(1_000_000), asks: 7 });
    const answer = next(hearingSignals().temporal, watched);
    await eventually(() => expect(reads.length).toBeGreaterThan(5));
    const { shares_version } = (await findChannel(api.store, slug))!;
    expect(Math.max(...reads)).toBeLessThan(1_000);
    reads.length = 0;
    await lay({ shares_version, body: randomBytes(1_000_000), asks: 7 });
    expect((await answer)!.body).toHaveLength(1_000_000);
    expect(reads.filter((bytes) => bytes > 1_000)).toHaveLength(1);
  });

  test('a page that was overtaken while its question waited is asked for again', async () => {
    const { slug, next, lay } = await scene();
    const { temporal, signals } = hearingSignals();
    await lay({ shares_version: -1, asks: 2 }); // for the question that comes now
    const answer = next(temporal);
    await eventually(async () => {
      const { asks } = (await readWaitingState(api.store, slug, 'tickets'))!;
      expect([asks, signals.length]).toEqual([3, 1]);
    });
    await lay({ asks: 3 });
    expect((await answer)!.headers['webhook-id']).toBe('msg_1');
  });

  test('a revoke that comes while a page’s bytes are read counts', async () => {
    const { slug, next, lay } = await scene();
    await lay();
    const channels = api.store.db.collection<{ _id: string }>('channels');
    const revoking = rewire(api.store, async ({ args, run }) => {
      const read = await run();
      if ('laid.body' in (args[1]?.['projection'] ?? {}))
        await channels.updateOne({ _id: slug }, { $inc: { shares_version: 1 } });
      return read;
    });
    await expect(next(undefined, revoking)).rejects.toEqual(away);
  });

  test('pages on their way share a budget of bytes, and give it back', async () => {
    const { next, lay, get } = await scene();
    await lay();
    const small = createByteBudget(10).lease('');
    await expect(next(undefined, undefined, small)).rejects.toEqual(away);
    const pages = api.store.db.collection('waiting_pages');
    const larger = { $set: { 'laid.bytes': 60 * 1024 * 1024 } }; // two would be too many for a channel
    await pages.updateMany({}, larger);
    for (let times = 0; times < 3; times += 1) expect((await get()).status).toBe(200);
    await pages.updateMany({}, { $set: { 'laid.bytes': 65 * 1024 * 1024 } });
    expectError(await get(), 429, 'RATE_LIMITED');
  });

  test('a page is confirmed without a worker and without Temporal, and its marker has moved', async () => {
    const apart = await startApi({ store: api.store, temporal: hearingSignals(false).temporal });
    const { slug, lay } = await scene();
    await lay();
    const token = (await channelKeys.rotate(api.store, slug, 0))!.token;
    const confirm = () =>
      apart.ask('POST', `/api/v1/channels/${slug}/feed/confirm`, { token, body: { page: 'msg_1' } });
    expect([(await confirm()).status, (await confirm()).status]).toEqual([204, 204]);
    const marker = (await readMarkers(api.store, slug)).get('tickets')!;
    expect(marker.progress).toMatchObject({ delivery: 'delivery/test', pages: 1 });
  });

  test('a confirmation has the next page laid out, and a question after it leaves that alone for a moment', async () => {
    const { slug, lay, next } = await scene();
    await lay();
    const { temporal, signals } = hearingSignals();
    const heard = await startApi({ store: api.store, temporal });
    const token = (await channelKeys.rotate(api.store, slug, 0))!.token;
    await heard.ask('POST', `/api/v1/channels/${slug}/feed/confirm`, { token, body: { page: 'msg_1' } });
    expect(signals).toMatchObject([{ slug, signal: 'pageAskedFor', args: [{ entity_types: ['tickets'] }] }]);
    const answer = next(temporal);
    await lay({ page: 'msg_2', asks: 9 });
    expect((await answer)!.headers['webhook-id']).toBe('msg_2');
    expect(signals).toHaveLength(1);
  });

  test('a question is signalled once, however long it waits', async () => {
    const { slug, next, nothing } = await scene();
    const { temporal, signals } = hearingSignals();
    let looks = 0;
    const watched = rewire(api.store, ({ collection, run }) => {
      if (collection === 'waiting_pages') looks += 1;
      return run();
    });
    const answer = next(temporal, watched);
    await eventually(() => expect(signals.length).toBeGreaterThan(0));
    const before = looks;
    await eventually(() => expect(looks).toBeGreaterThan(before + 3)); // it waits on
    await nothing(1);
    expect(await answer).toBeNull();
    expect(signals).toEqual([
      { slug, signal: 'pageAskedFor', args: [{ entity_types: ['tickets'], request_id: 'test' }] },
    ]);
  });
});
