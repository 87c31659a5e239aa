import { setTimeout } from 'node:timers/promises';
import { verifyConsents } from '../../store/consent/verify-consents';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { listGranted, type Subscription } from '../../store/consent/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startNode } from '../setup/processes';

// GDX_CASES=100 kills as often as it is promised. What killed.test.ts does between any two calls, this does anywhere.
const KILLS = cases(3, 12);
const LONGEST_MS = 600;

const uri = newDatabaseUri();
let store: Store;
beforeAll(async () => {
  store = await openStore(uri);
});
afterAll(() => closeStore(store));

async function killOne(slug: string, afterMs: number): Promise<void> {
  const farmer = startNode(['--import', 'tsx', 'test/sharing/farmer-process.ts', uri, slug], process.env);
  await farmer.heard('granted');
  await setTimeout(afterMs);
  await farmer.end('SIGKILL');
}

/** What every account's last entry in the ledger says, in its order. */
async function lastActs(channel: string): Promise<Map<string, string>> {
  const entries = await store.db.collection('consents').find({ channel }).sort({ number: 1 }).toArray();
  return new Map(entries.map(({ account, act }) => [account as string, act as string]));
}

test(`kill -9 of a process that grants and revokes, ${KILLS} times: the ledger and what is shared always agree`, async () => {
  let acts = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // a channel of its own, as the killed transaction holds the one it was at until MongoDB ends it
    const slug = `acme-${kill}`;
    await addTestChannel(store, slug, 'http://127.0.0.1:9', { scope: 'subscribed' });
    await killOne(slug, (LONGEST_MS * (kill + 1)) / KILLS);
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
      const channel = await store.db.collection<{ _id: string }>('channels').findOne({ _id: slug });
      expect(channel).toMatchObject({ shares_version: verdict.links / 3 });
      return verdict;
    }, 10_000);
    acts += verdict.links / 3;
  }
  console.log(`${KILLS} kills, ${acts} acts`);
  expect(acts).toBeGreaterThan(0);
}, 900_000);
