import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../store/store';
import type { Subscription } from '../../store/consent/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { databaseUri } from '../bench/open-bench-store';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startNode } from '../setup/processes';
import { startStrictWire, type StrictWire } from '../strict/strict-wire';
import { expectLedgerAgrees } from './ledger-says';

// GDX_CASES=100 kills as often as it is promised. What killed.test.ts does between any two calls, this does anywhere.
const KILLS = cases(3, 12);
const LONGEST_MS = 600;
/** A transaction that is left open would hold up the other process for the minute that MongoDB gives it. */
const HELD_UP_MS = 6_000;

const uri = newDatabaseUri();
let store: Store;
let wire: StrictWire; // says which transactions are idle, as mongod does
beforeAll(async () => {
  store = await openStore(uri);
  wire = await startStrictWire({ upstream: new URL(uri).host });
});

/** Of two processes for one channel. @returns for how long it holds up the other */
async function killOne(slug: string, afterMs: number): Promise<number> {
  const strict = databaseUri(wire.uri, store.db.databaseName);
  const [killed, other] = [1, 2].map(() =>
    startNode(['--import', 'tsx', 'test/sharing/farmer-process.ts', strict, slug], process.env),
  );
  for (const each of [killed!, other!]) await each.heard('granted');
  await setTimeout(afterMs);
  await killed!.end('SIGKILL');
  const began = performance.now();
  other!.lines.length = 0;
  await other!.heard('granted'); // fails where it has ended by an error
  const heldUpMs = performance.now() - began;
  await other!.end('SIGKILL');
  return heldUpMs;
}

/** What all three accounts have in common, as they are one act each time. */
const inCommon = ({ state, from, deletion }: Subscription) => [
  state,
  !from,
  !!deletion,
  !!deletion?.asked_at,
];

test(`kill -9 of one of two processes that share, widen, stop and have deleted, ${KILLS} times: the ledger and what is shared always agree, and the other goes on`, async () => {
  let acts = 0;
  let longestMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // a channel of its own, as the transaction of the second one holds the one it was at until MongoDB ends it
    const slug = `acme-${kill}`;
    await addTestChannel(store, slug, 'http://127.0.0.1:9', { scope: 'subscribed' });
    longestMs = Math.max(longestMs, await killOne(slug, (LONGEST_MS * (kill + 1)) / KILLS));
    // What was on its way to MongoDB when the process died may be committed just after.
    acts += await eventually(async () => {
      const entries = await expectLedgerAgrees(store, slug);
      const subscriptions = await store.db.collection<Subscription>('subscriptions').find({ channel: slug });
      const states = (await subscriptions.toArray()).map((one) => JSON.stringify(inCommon(one)));
      expect(new Set(states).size).toBe(1);
      const channel = await store.db
        .collection<{ _id: string; shares_version: number }>('channels')
        .findOne({ _id: slug });
      // Who finds that the other was faster writes no entry.
      expect(channel?.shares_version).toBeGreaterThanOrEqual(entries.length / 3);
      return entries.length / 3;
    }, 10_000);
  }
  console.log(`${KILLS} kills, ${Math.round(acts)} acts; held up for ${Math.round(longestMs)} ms at most`);
  expect(acts).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(HELD_UP_MS);
}, 900_000);
