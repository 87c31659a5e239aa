import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseChannel } from '../../store/channels/channels';
import type { Api } from '../api/start-api';
import { cases, scaledTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, Script } from '../setup/fake-customer';
import { TestFeed } from '../workflows/test-feed';
import { startListening } from './start-listening';
import { stand } from '../setup/stand';

const RECORDS = cases(300, 4_000);
const PAGE_SIZE = 20;
const KILLS = cases(1, 12);
const LONGEST_MS = 3_600_000; // of a loaded machine

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  ({ feed, api } = await stand({ feed: {}, api: {} }));
});

scaledTest(
  `${RECORDS} records with ${KILLS} kill -9 of gdx listen: none lost, at most a page repeated for each`,
  async () => {
    const settings = { delivery: 'pull' as const, page_size: PAGE_SIZE, entity_types: ['tickets' as const] };
    const receiver = await feed.addChannel('backlog', settings);
    const { start, listen } = await startListening(feed, api, 'backlog', receiver);
    for (let first = 1; first <= RECORDS; first += 1_000)
      await feed.push('backlog', ['tickets'], Math.min(1_000, RECORDS - first + 1), first);
    const pages = RECORDS / PAGE_SIZE;
    for (let kill = 0; kill < KILLS; kill++) {
      const listening = start();
      const due = receiver.pages.length + randomInt(1, Math.floor(pages / KILLS / 2));
      while (receiver.pages.length < due) {
        if (listening.child.exitCode !== null) throw new Error(listening.lines.join('\n'));
        await sleep(2);
      }
      await sleep(randomInt(0, 60));
      await listening.end('SIGKILL');
    }
    expect(receiver.pages.length).toBeLessThan(pages); // each in the middle of the backlog
    const last = await listen(['--once', '--json']);
    expect([last.code, last.err]).toEqual([0, expect.stringContaining('Nothing is left to send.')]);
    expect(feed.held(receiver, 'tickets')).toEqual(Array.from({ length: RECORDS }, (_, index) => index + 1));
    const ids = receiver.pages.map(({ headers }) => headers['webhook-id']);
    expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(KILLS);
    const sent = receiver.pages.reduce((sum, { records }) => sum + records.length, 0);
    expect(sent).toBeLessThanOrEqual(RECORDS + KILLS * PAGE_SIZE);
  },
  LONGEST_MS,
);

/** A channel that is collected, with five tickets in three pages, and its receiver. */
async function open(slug: string, settings: Parameters<TestFeed['addChannel']>[1] = {}, script?: Script) {
  const collected = { delivery: 'pull' as const, page_size: 2, entity_types: ['tickets' as const] };
  const receiver = await feed.addChannel(slug, { ...collected, ...settings }, script);
  await feed.push(slug, ['tickets'], 5);
  return { receiver, ...(await startListening(feed, api, slug, receiver)) };
}

const pagesOf = ({ pages }: FakeCustomer) =>
  pages.map(({ status, meta, headers }) => [meta.current_page, status, headers['x-channel-slug']]);

test('--once hands every page on, confirms it and ends; --json prints a document a page', async () => {
  const { receiver, listen } = await open('once');
  const run = await listen(['--once', '--json', '--authorization', 'Bearer of-ours']);
  expect([run.code, run.err]).toEqual([0, expect.stringContaining('Nothing is left to send.')]);
  const seen = run.out.trim().split(/\n(?=\{)/);
  const receiverSaid = expect.stringMatching(/^200 in \d+ ms$/);
  expect(seen.map((text) => JSON.parse(text))).toEqual(
    [2, 2, 1].map((records, index) => ({
      entity_type: 'tickets',
      page: `${index + 1} of 3`,
      records,
      signature: 'genuine',
      receiver: receiverSaid,
      result: 'confirmed',
    })),
  );
  expect(feed.held(receiver, 'tickets')).toEqual([1, 2, 3, 4, 5]);
  expect(receiver.pages[0]!.headers).toMatchObject({
    authorization: 'Bearer of-ours',
    'x-entity-type': 'tickets',
    'webhook-id': expect.stringMatching(/^msg_/),
  });
  const again = await listen(['--once']);
  expect([again.code, again.out, receiver.pages.length]).toEqual([0, '', 3]);
});

test('a page that the receiver answers with 503 comes again, the same one', async () => {
  const { receiver, listen } = await open('busy', {}, ({ meta }) =>
    meta.current_page === 2 && receiver.pages.length === 2 ? 503 : 200,
  );
  const { code, out, err } = await listen(['--once']);
  expect([code, err]).toEqual([0, expect.stringContaining('Not confirmed: the same page again in')]);
  expect(pagesOf(receiver).map(([page, status]) => [page, status])).toEqual([
    [1, 200],
    [2, 503],
    [2, 200],
    [3, 200],
  ]);
  const [, refused, repeated] = receiver.pages;
  expect(repeated!.headers['webhook-id']).toBe(refused!.headers['webhook-id']);
  expect(repeated!.body.equals(refused!.body)).toBe(true);
  expect(out).toMatch(/page 2 of 3, 2 records, genuine, receiver: 503 in \d+ ms, refused\n/);
});

test('a type that the channel is given while it listens is collected as well', async () => {
  const { receiver, start } = await open('given');
  const listening = start(['--every', '1s']);
  await listening.heard('page 3 of 3');
  await feed.push('given', ['contracts'], 1);
  await feed.changeChannel('given', { entity_types: ['tickets', 'contracts'] });
  await eventually(() => expect(feed.held(receiver, 'contracts')).toEqual([1]), 20_000);
  await listening.end();
});

test('without the secret pages are not checked, and it says so', async () => {
  const { listen } = await open('unchecked');
  const { code, out, err } = await listen(['--once'], { GDX_SIGNING_SECRET: '' });
  expect([code, err]).toEqual([0, expect.stringContaining('GDX_SIGNING_SECRET is not set')]);
  expect(out).toContain('2 records, not checked, receiver: 200');
});

test('says in one line what keeps it from collecting', async () => {
  const { listen, receiver } = await open('kept');
  const errorOf = async (run: ReturnType<typeof listen>) => {
    const { code, err } = await run;
    return [code, err.split('\n').filter((line) => line && !line.startsWith('Collecting from'))];
  };
  expect(await errorOf(listen([], { GDX_TOKEN: '' }))).toEqual([
    2,
    ['gdx: there is no token; put it into GDX_TOKEN, or into a file and name that by --token-file'],
  ]);
  expect(await errorOf(listen([], { GDX_TOKEN: 'gdx_erp_test_12345678901234567890123' }))).toEqual([
    2,
    [expect.stringContaining('the token is not the key of a channel (gdx_channel_...);')],
  ]);
  expect(await errorOf(listen([], { GDX_TOKEN: 'gdx_channel_test_12345678901234567890123' }))).toEqual([
    1,
    [expect.stringMatching(/^gdx: the service: .+; check GDX_TOKEN: it is the key of the channel$/)],
  ]);
  expect(await errorOf(listen(['--forward-to', 'localhost:9000']))).toEqual([
    2,
    [expect.stringContaining('the address of the receiver must be a URL of http or https;')],
  ]);
  expect(await errorOf(listen(['--forward-to', 'http://user:pw@localhost:9000']))).toEqual([
    2,
    ['gdx: the address of the receiver must not carry a user; say --forward-to http://localhost:9000'],
  ]);
  await pauseChannel(feed.store, 'kept', 'asked');
  expect(await errorOf(listen())).toEqual([
    1,
    [expect.stringMatching(/The channel is paused.+; ask the operator why; then start this again$/)],
  ]);
  await feed.changeChannel('kept', { delivery: 'push' });
  expect(await errorOf(listen())).toEqual([
    1,
    [expect.stringMatching(/posted to you.+; ask the operator for `gdx channel set --delivery pull`$/)],
  ]);
  expect(receiver.pages).toEqual([]);
});

nightlyTest('waits for a service that is away, and for a receiver that is', async () => {
  const { start, receiver } = await open('away');
  await receiver.stop();
  const listening = start(['--once']);
  expect(await listening.heard('refused')).toContain('receiver: ECONNREFUSED, refused');
  await receiver.listen();
  expect(await listening.ended).toBe(0);
  expect(feed.held(receiver, 'tickets')).toEqual([1, 2, 3, 4, 5]);

  const lost = start(['--url', 'http://127.0.0.1:1']);
  expect(await lost.heard('trying again')).toMatch(/the service does not answer .*: trying again in 1 s/);
  await lost.end('SIGKILL');
});
