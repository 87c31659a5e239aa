import { setTimeout } from 'node:timers/promises';
import { listGranted } from '../../store/consent/subscriptions';
import { pushRecords } from '../setup/push-records';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { accountsOf, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';

// `npx tsx test/farmer/time-save.ts [accounts]`: how long saving many accounts takes, each account
// with a ticket, on the MongoDB of the chain or of MONGODB_URI.
const ACCOUNTS = Number(process.argv[2] ?? 10_001);
const A_PUSH = 1_000;

void main();

async function main(): Promise<void> {
  await startTestParts();
  const farmers = await startFarmers();
  const all = accountsOf(PHONE, ACCOUNTS);
  for (let first = 0; first < all.length; first += A_PUSH) {
    const accounts = all.slice(first, first + A_PUSH);
    await pushAccounts(farmers, accounts);
    await pushRecords(farmers.store, { tickets: accounts.map(({ id }) => ({ id, account_id: id })) });
  }
  const ids = all.map(({ id }) => `42-${id}`);
  await save(farmers, 'share', ids, ids);
  await save(farmers, 'stop', ids, []);
  await farmers.stop();
  await stopTestParts();
  process.exit(0);
}

async function save(farmers: Farmers, what: string, seen: string[], ticked: string[]): Promise<void> {
  const visitor = await farmers.verified();
  const sessions = farmers.store.db.collection('sessions');
  await visitor.submit({ do: 'continue', account: ticked.slice(0, 1) });
  await sessions.updateMany({}, { $set: { seen, ticked } }); // as if the farmer had searched through all of them
  await visitor.get('/subscriptions/check');
  const began = Date.now();
  const { status, path } = await visitor.submit({ do: 'save' });
  const answered = Date.now() - began;
  while (!(await sessions.findOne({ 'saved.form': { $exists: true } }))) await setTimeout(100);
  const saved = Date.now() - began;
  const granted = (await listGranted(farmers.store, 'acme')).length;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  console.log(
    `${what} ${seen.length} accounts: answered ${status} ${path} after ${seconds(answered)}, saved after ${seconds(saved)}; ${granted} are shared`,
  );
  await sessions.deleteMany({});
}
