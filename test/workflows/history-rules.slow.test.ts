import { findChannel, openSecrets, pauseChannel, resumeChannel } from '../../store/channels/channels';
import { settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, ReceivedPage, Reply } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { type RecordedRun, recordedRuns } from './read-history';
import { ALL, TestFeed } from './test-feed';

// Only counts, positions and ids cross into a history: no phone, token or record content (docs/contract.md O2).
const PLANTED = {
  phone: '7015550142',
  authorization: 'planted-authorization-value',
  name: 'Planted Family Farms',
  content: 'planted-field-of-the-erp',
};
const LARGEST_PAYLOAD = 2_048;

let feed: TestFeed;
let customer: FakeCustomer;
let secrets: string[];
let runs: RecordedRun[];
beforeAll(async () => {
  feed = await TestFeed.start();
  await playEverything();
  runs = await recordedRuns(feed.client, 'WorkflowType != "temporal-sys-scheduler-workflow"');
});

/** A hostile customer that echoes what it was sent in every part of its response. */
function echo(status: number, page: ReceivedPage): Reply {
  const said = `${page.headers.authorization} ${PLANTED.name} ${PLANTED.phone}`;
  return {
    status,
    headers: { location: `/${encodeURIComponent(said)}`, 'x-echo': said },
    body: page.body.toString(),
  };
}

async function playEverything(): Promise<void> {
  const answers = { accounts: 200, contracts: 503, tickets: 401, settlements: 302 } as Record<string, number>;
  const { authorization } = PLANTED;
  customer = await feed.addChannel('planted', { authorization, page_size: 2, companies: ['42'] }, (page) =>
    echo(answers[page.entityType]!, page),
  );
  const records = Array.from({ length: 5 }, (_, index) => ({
    id: `${index}`,
    account_id: '1',
    note: PLANTED.content,
  }));
  await pushRecords(feed.store, {
    accounts: records.map(({ id, note }) => ({
      id,
      note,
      name: PLANTED.name,
      phones: [{ phone: PLANTED.phone }],
    })),
    contracts: records,
    tickets: records,
    settlements: records,
  });
  await feed.deliverNow('planted');
  await feed.closed('planted', 'settlements', 1);
  customer.script = (page) => echo(200, page);
  await feed.deliverNow('planted');
  for (const type of ALL) await eventually(() => expect(feed.held(customer, type)).toHaveLength(5));

  const channel = (await findChannel(feed.store, 'planted'))!;
  const { signingSecrets, signingKeys } = await openSecrets(feed.store, channel, new Date());
  secrets = [...signingSecrets, ...signingKeys];
  const before = customer.confirmed('tickets').length;
  await feed.reset('planted', 'tickets', 'a-request');
  await eventually(() => expect(customer.confirmed('tickets').length).toBeGreaterThanOrEqual(before + 3));
  await pauseChannel(feed.store, 'planted', 'a reason');
  await feed.signal('planted', settingsChangedSignal, { reason: 'paused' });
  await eventually(async () =>
    expect(await feed.handle('planted').query('status')).toMatchObject({ state: 'paused' }),
  );
  await resumeChannel(feed.store, 'planted');
  await feed.changeChannel('planted', { base_url: customer.baseUrl.replace('http:', 'https:') });
  await pushRecords(feed.store, {
    accounts: [{ id: '9', name: PLANTED.name, phones: [{ phone: PLANTED.phone }] }],
  });
  await feed.signal('planted', settingsChangedSignal, { reason: 'resumed' });
  const failed = { channel: 'planted', entity_type: 'accounts', status: 'failed' };
  await eventually(async () =>
    expect(await feed.store.db.collection('deliveries').countDocuments(failed)).toBe(1),
  );
}

test('the scenario has reached the customer with all that was planted, and every outcome', () => {
  const [page] = customer.confirmed('accounts');
  expect(page!.headers.authorization).toBe(PLANTED.authorization);
  for (const planted of [PLANTED.phone, PLANTED.name, PLANTED.content]) {
    expect(page!.body.toString()).toContain(planted);
  }
  const statuses = runs.map(({ type, status }) => `${type} ${status}`);
  for (const seen of [
    'channelFeed RUNNING',
    'feedDelivery COMPLETED',
    'feedDelivery FAILED',
    'reconcileChannels COMPLETED',
  ]) {
    expect(statuses).toContain(seen);
  }
});

test('no payload of any history reaches 2 KB', () => {
  const sizes = runs.flatMap(({ events }) => events.flatMap((event) => payloadsIn(event)));
  expect(sizes.length).toBeGreaterThan(50);
  expect(Math.max(...sizes.map((data) => data.length))).toBeLessThan(LARGEST_PAYLOAD);
});

test('no phone, token, secret or record content is in any history, plain or encoded', () => {
  const words = [...Object.values(PLANTED), ...secrets].flatMap((word) => [
    word,
    encodeURIComponent(word),
    // whole groups of three bytes only, as the rest depends on what follows
    Buffer.from(word)
      .subarray(0, word.length - (word.length % 3))
      .toString('base64'),
  ]);
  const texts = runs.map(({ workflowId, events }) => [workflowId, textsIn(events).join('\n')] as const);
  expect(texts.filter(([, text]) => text.includes('Acme Crop Insurance answered 401'))).not.toEqual([]);
  const found = texts.flatMap(([id, text]) =>
    words.filter((word) => text.includes(word)).map((word) => [id, word]),
  );
  expect(found).toEqual([]);
});

/** The bytes of every payload in an event: inputs, results, details, memo, search attributes, summaries. */
function payloadsIn(value: unknown): Uint8Array[] {
  if (typeof value !== 'object' || value === null) return [];
  const { data, metadata } = value as { data?: unknown; metadata?: unknown };
  if (data instanceof Uint8Array && metadata) return [data];
  return Object.values(value).flatMap(payloadsIn);
}

/** Everything an event holds, with its bytes as text. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)]);
}
