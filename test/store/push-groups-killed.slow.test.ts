import { setTimeout } from 'node:timers/promises';
import { findPushReport } from '../../store/push/push-receipts';
import type { Store } from '../../store/store';
import { cases, scaledTest } from '../setup/cases';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startNode } from '../setup/processes';
import { storedNotes } from '../setup/stored-notes';
import { notedPush } from './noted-push';

const KILLS = cases(1, 10);
const LONGEST_MS = 800;

/** How many records of each push are stored, by its note, and how many receipts: as one moment has them. */
const storedOf = (store: Store) =>
  store.client.withSession((session) =>
    session.withTransaction(async () => {
      const counts = new Map<string, number>();
      for (const note of (await storedNotes(store, session)).values())
        counts.set(note, (counts.get(note) ?? 0) + 1);
      const receipts = await store.db.collection('push_receipts').countDocuments({}, { session });
      return { counts, receipts }; // the commit that the killed process has sent last may end after it
    }),
  );

scaledTest(
  `kill -9 of a process whose pushes go together, ${KILLS} times: each is whole, with its receipt, or not there`,
  async () => {
    let stored = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const uri = newDatabaseUri(); // the killed transaction holds the counters of its own until MongoDB ends it
      const store = await openStore(uri);
      const pusher = startNode(['--import', 'tsx', 'test/store/group-process.ts', uri], process.env);
      await pusher.heard('answered 1x0');
      await setTimeout((LONGEST_MS * kill) / KILLS);
      await pusher.end('SIGKILL');
      const answered = pusher.lines.map((line) => line.replace('answered ', ''));
      const { counts, receipts } = await storedOf(store);
      expect(new Set(counts.values())).toEqual(new Set([3]));
      expect(answered.filter((note) => !counts.has(note))).toEqual([]);
      for (const note of counts.keys()) {
        const report = await findPushReport(store, notedPush(note).receiptId);
        expect(report).toMatchObject({ changed: 3, unchanged: 0 });
      }
      expect(receipts).toBe(counts.size);
      stored += counts.size;
    }
    console.log(`${KILLS} kills, ${stored} pushes stored`);
  },
);
