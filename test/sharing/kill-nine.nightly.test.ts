import { setTimeout } from 'node:timers/promises';
import { verifyConsents } from '../../store/consent/verify-consents';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { listGranted, type Subscription } from '../../store/consent/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { databaseUri } from '../bench/open-bench-store';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startNode } from '../setup/processes';
import { startStrictWire, type StrictWire } from '../strict/strict-wire';

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
afterAll(async () => {
  await wire.stop();
  await closeStore(store);
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

/** What every account's last entry in the ledger says, in its order. */
async function lastActs(channel: string): Promise<Map<string, string>> {
  const entries = await store.db.collection('consents').find({ channel }).sort({ number: 1 }).toArray();
  return new Map(entries.map(({ account, act }) => [account as string, act as string]));
}

test(`kill -9 of one of two processes that grant and revoke, ${KILLS} times: the ledger and what is shared always agree, and the other goes on`, async () => {
  let acts = 0;
  let longestMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // a channel of its own, as the transaction of the second one holds the one it was at until MongoDB ends it
    const slug = `acme-${kill}`;
    await addTestChannel(store, slug, 'http://127.0.0.1:9', { scope: 'subscribed' });
    longestMs = Math.max(longestMs, await killOne(slug, (LONGEST_MS * (kill + 1)) / KILLS));
    // What was on its way to MongoDB when the process died may be committed just after.
    const verdict = await eventually(async () => {
      const said = await lastActs(slug);
      const subscriptions = await store.db
        .collection<Subscription>('subscriptions')
        .find({ channel: slug })
        .toArray();
      const states = new Map(
        subscriptions.map(({ account, state }) => [account, state === 'granted' ? 'grant' : 'revoke']),
      );
      expect(said).toEqual(states);
      const granted = (await listGranted(store, slug)).length;
      expect([0, 3]).toContain(granted); // three accounts are one act: all of it, or nothing
      const verdict = await verifyConsents(store, slug);
      expect(verdict).toMatchObject({ ok: true });
      const channel = await store.db
        .collection<{ _id: string; shares_version: number }>('channels')
        .findOne({ _id: slug });
      // Who finds that the other has revoked writes no entry.
      expect(channel?.shares_version).toBeGreaterThanOrEqual(verdict.links / 3);
      return verdict;
    }, 10_000);
    acts += verdict.links / 3;
  }
  console.log(`${KILLS} kills, ${acts} acts; held up for ${Math.round(longestMs)} ms at most`);
  expect(acts).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(HELD_UP_MS);
}, 900_000);
