import { NOTHING_YET } from '../../domain/delivery';
import { closeDeliveryReport, openDeliveryReport, reportProgress } from '../../store/feed/deliveries';
import { startMarker, moveMarker, markerId } from '../../store/feed/markers';
import type { EntityType } from '../../domain/entity-types';
import { accounts, channelKey, expectError, integrationToken, pushOf, startApi, type Api } from './start-api';

let api: Api;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await channelKey(api.store, 'acme');
  const token = await integrationToken(api.store);
  await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(5)) });
});
afterAll(() => api.stop());

const get = (path: string, slug = 'acme', token = key) =>
  api.ask('GET', `/api/v1/channels/${slug}/${path}`, { token });

describe('GET markers', () => {
  test('before the first delivery: everything stored is pending', async () => {
    const answer = await get('markers');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    const untouched = { timestamp: null, delivered_at: null, last_reset: null };
    expect(answer.json).toEqual({
      data: [
        { entity_type: 'accounts', pending_records: 5, ...untouched },
        { entity_type: 'contracts', pending_records: 0, ...untouched },
        { entity_type: 'tickets', pending_records: 0, ...untouched },
        { entity_type: 'settlements', pending_records: 0, ...untouched },
      ],
    });
  });

  test('after a page and a reset', async () => {
    const moving = await channelKey(api.store, 'moving', { entity_types: ['tickets', 'accounts'] });
    await startMarker(api.store, 'moving', 'accounts', 0);
    const id = markerId('moving', 'accounts');
    const progress = { delivery: 'd', pages: 1, records: 3, bytes: 1 };
    const timestamp = new Date('2026-11-21T08:00:00.123Z');
    await moveMarker(api.store, { id, epoch: 0 }, { position: 3, timestamp, progress });
    const moved = (await get('markers', 'moving', moving)).json.data;
    expect(moved.map((marker: { entity_type: string }) => marker.entity_type)).toEqual([
      'accounts',
      'tickets',
    ]);
    expect(moved[0]).toMatchObject({
      timestamp: '2026-11-21T08:00:00.123Z',
      pending_records: 2,
      last_reset: null,
    });
    expect(moved[0].delivered_at).toMatch(/^\d{4}-.*T.*\.\d{3}Z$/);

    const reset = { token: moving, body: { timestamp: '2026-01-01T00:00:00Z' } };
    await api.ask('POST', '/api/v1/channels/moving/markers/accounts/reset', reset);
    expect((await get('markers', 'moving', moving)).json.data[0]).toMatchObject({
      timestamp: null,
      pending_records: 5,
      delivered_at: moved[0].delivered_at,
      last_reset: { timestamp: '2026-01-01T00:00:00.000Z', at: expect.stringMatching(/Z$/) },
    });
  });

  test('nothing is pending for scope subscribed, as long as nobody has subscribed', async () => {
    const lender = await channelKey(api.store, 'lender', { scope: 'subscribed' });
    const { data } = (await get('markers', 'lender', lender)).json;
    expect(data.map((marker: { pending_records: number }) => marker.pending_records)).toEqual([0, 0, 0, 0]);
  });
});

describe('GET deliveries', () => {
  const idOf = (run: number, type: EntityType) => `delivery/acme/${type}/${run}`;

  beforeAll(async () => {
    const types: EntityType[] = ['accounts', 'tickets'];
    for (let run = 1; run <= 5; run++) {
      for (const entity_type of types) {
        const _id = idOf(run, entity_type);
        await openDeliveryReport(
          api.store,
          {
            _id,
            channel: 'acme',
            entity_type,
            run,
            catch_up: false,
            trigger: 'schedule',
            from: 0,
            to: 5,
            workflow_run_id: 'r',
          },
          1,
        );
        await reportProgress(api.store, _id, { ...NOTHING_YET, pages: 1, records: 5, bytes: 500 });
        const failed = entity_type === 'tickets' && run === 3;
        const failure = failed ? 'CustomerUnavailable' : null;
        const failure_message = failed
          ? 'Acme has a base URL that points to 10.1.2.3, a private address: customer URLs must be public'
          : null;
        if (run < 5)
          await closeDeliveryReport(
            api.store,
            _id,
            { status: failed ? 'failed' : 'delivered', failure, failure_message },
            1,
          );
      }
    }
    // Several of one instant: the cursor must tell them apart.
    const started_at = new Date('2026-11-21T08:00:00.000Z');
    await api.store.db.collection('deliveries').updateMany({ run: { $lte: 3 } }, { $set: { started_at } });
  });

  test('newest first (docs/contract.md C17)', async () => {
    const { status, json } = await get('deliveries');
    expect(status).toBe(200);
    expect(json.next).toBeNull();
    expect(json.data).toHaveLength(10);
    expect(json.data.at(0)).toEqual({
      id: expect.stringMatching(/^delivery\/acme\/(tickets|accounts)\/5$/),
      entity_type: expect.any(String),
      status: 'running',
      failure: null,
      failure_message: null,
      pages: 1,
      records: 5,
      started_at: expect.stringMatching(/\.\d{3}Z$/),
      ended_at: null,
    });
  });

  test.each([1, 3, 4, 10])('page by page, %i at a time: each one once', async (limit) => {
    const all = (await get('deliveries')).json.data;
    const walked = [];
    let next: string | null = '';
    while (next !== null) {
      const page: { data: unknown[]; next: string | null } = (
        await get(`deliveries?limit=${limit}${next && `&after=${next}`}`)
      ).json;
      walked.push(...page.data);
      next = page.next;
      if (next !== null) expect(next).toMatch(/^[A-Za-z0-9_-]+$/);
    }
    expect(walked).toEqual(all);
  });

  test('by entity type and status', async () => {
    const failed = (await get('deliveries?entity_type=tickets&status=failed')).json.data;
    expect(failed).toEqual([
      expect.objectContaining({
        id: idOf(3, 'tickets'),
        failure: 'CustomerUnavailable',
        // for the customer without the address, which is of our network
        failure_message: 'Acme has a base URL that points to a private address: customer URLs must be public',
        ended_at: expect.stringMatching(/Z$/),
      }),
    ]);
    expect((await get('deliveries?status=superseded')).json).toEqual({ data: [], next: null });
  });

  test('only those of the channel', async () => {
    const other = await channelKey(api.store, 'other');
    const { next } = (await get('deliveries?limit=1')).json;
    expect((await get(`deliveries?after=${next}`, 'other', other)).json).toEqual({ data: [], next: null });
  });

  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each<[string, string]>([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['status=done', 'status'],
    ['status=__proto__', 'status'],
    ['entity_type=elevators', 'entity_type'],
    ['entity_type=', 'entity_type'],
    ['after=', 'after'],
    ['after=%00', 'after'],
    ['after=garbage', 'after'],
    [`after=${cursor(null)}`, 'after'],
    [`after=${cursor([1])}`, 'after'],
    [`after=${cursor([1e300, 'x'])}`, 'after'],
    [`after=${cursor(['soon', 'x'])}`, 'after'],
    [`after=${cursor([null, 'x'])}`, 'after'],
    [`after=${cursor([1, { $gt: '' }])}`, 'after'],
  ])('422 for %s', async (query, field) => {
    const answer = await get(`deliveries?${query}`);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages).toEqual({ [field]: [expect.any(String)] });
  });

  test('everything wrong is named at once; what is unknown is ignored', async () => {
    const answer = await get('deliveries?limit=x&status=x&entity_type=x&after=x');
    expect(Object.keys(answer.json.validation_messages).sort()).toEqual([
      'after',
      'entity_type',
      'limit',
      'status',
    ]);
    expect((await get('deliveries?color=green&limit=200')).status).toBe(200);
  });
});
