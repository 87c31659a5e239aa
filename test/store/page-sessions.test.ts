import { pageSessions } from '../../store/access/page-sessions';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

const MINUTE = 60_000;
const sessions = pageSessions<{ operator: string }>('operator_sessions');

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

test('a session ends 30 minutes after its last page, not after its first', async () => {
  const left = (at: Date) => (at.getTime() - Date.now()) / MINUTE;
  const token = await sessions.open(store, { operator: 'maria' });
  const stored = store.db.collection('operator_sessions');
  const keptLeft = async () => left((await stored.findOne({}))!['expires_at'] as Date);
  expect(await keptLeft()).toBeCloseTo(30, 0);
  await stored.updateOne({}, { $set: { expires_at: new Date(Date.now() + MINUTE) } });
  expect(left((await sessions.find(store, token))!.expires_at)).toBeCloseTo(30, 0);
  expect(await keptLeft()).toBeCloseTo(30, 0);
});
