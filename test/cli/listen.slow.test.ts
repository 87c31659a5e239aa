import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, startApi } from '../api/start-api';
import { cases } from '../setup/cases';
import { TestFeed } from '../workflows/test-feed';
import { startListening } from './start-listening';

const RECORDS = cases(4_000, 4_000);
const PAGE_SIZE = 20;
const KILLS = 12;
const LONGEST_MS = 3_600_000; // of a loaded machine

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  feed = await TestFeed.start();
  api = await startApi({ store: feed.store, temporal: feed.worker.temporal });
});
afterAll(async () => {
  await api.stop();
  await feed.stop();
});

test(
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
