import { addIntegration } from '../../store/callers/integrations';
import { records } from '../../store/records/records';
import type { Store } from '../../store/store';
import { outOfOrder } from '../commit-order/promise';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startService } from '../setup/processes';
import { COMPANY, pushRecords } from '../setup/push-records';
import { startWorker } from '../setup/start-worker';
import { storedNotes } from '../setup/stored-notes';
import { addFed, type Fed, heldNotes } from './fed';
import { impossible, outOfTurn } from './ledger';
import { runPusher } from './run-pusher';

const PUSHES = cases(2_000, 2_000); // GDX_CASES=100000 is what docs/proof.md says of it
const CONNECTIONS = 64;
const SETTLE_MS = 300_000;
const CADENCE_MS = 1_000;

/** The settlements that are each pushed once, in the order in which they reached the customer. */
const arrivedOnce = ({ customer }: Fed) =>
  customer
    .confirmed('settlements')
    .flatMap((page) => page.records.map(({ remote_id }) => `settlements ${remote_id}`))
    .filter(isPushedOnce);

const isPushedOnce = (record: string) => record.startsWith('settlements erp-');

/** Some of the records that the customer does not hold as they are stored. */
function someMissing(fed: Fed, stored: Map<string, string>): string[] {
  const held = heldNotes(fed);
  return [...stored].flatMap(([record, note]) => (held.get(record) === note ? [] : [record])).slice(0, 5);
}

/** One an ERP: a single integration may not send as much. */
async function addIntegrations(store: Store): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < CONNECTIONS; number++)
    tokens.push((await addIntegration(store, { name: `agris ${number}`, company: COMPANY })).token);
  return tokens;
}

test(`${PUSHES} pushes of one record over 64 connections to two APIs, beside two channels: all arrive, in order`, async () => {
  const uri = newDatabaseUri();
  const store = await openStore(uri);
  const worker = await startWorker(store);
  const env = { MONGODB_URI: uri, GDX_TASK_QUEUE: worker.taskQueue };
  const apis = await Promise.all([startService('api', env), startService('api', env)]);
  const settings = { cadence_ms: CADENCE_MS, page_size: 100 };
  const fed = [await addFed(store, 'acme', settings), await addFed(store, 'bison', settings)];
  await pushRecords(store, { contracts: [{ id: 'first', account_id: '1', note: 'first' }] });
  for (const { slug, customer } of fed) {
    expect(await worker.temporal.ensureRunning(slug, CADENCE_MS)).toBe(true);
    await eventually(() => expect(customer.pages).toHaveLength(1));
  }
  const urls = apis.map(({ url }) => url);
  const began = Date.now();
  const tokens = await addIntegrations(store);
  const ledger = await runPusher({ name: 'erp', urls, tokens, pushes: PUSHES, most: 0, idsPerType: 60 });
  const tookMs = Date.now() - began;
  const beside = fed.map(({ customer }) => customer.pages.length);

  expect(ledger).toHaveLength(PUSHES);
  const stored = await storedNotes(store);
  expect(stored.get('contracts first')).toBe('first');
  stored.delete('contracts first');
  expect(impossible(ledger, stored)).toEqual([]);
  expect(await store.db.collection('push_receipts').countDocuments()).toBe(PUSHES + 1);
  for (const one of fed) {
    await eventually(() => expect(someMissing(one, stored)).toEqual([]), SETTLE_MS);
    expect(outOfOrder(one.customer)).toEqual([]);
    expect(outOfTurn(ledger, arrivedOnce(one))).toEqual([]);
  }
  const settlements = [...stored.keys()].filter(isPushedOnce).length;
  const groups = (await records(store, 'settlements').distinct('updated_at')).length;
  expect(groups).toBeLessThan(settlements); // those of a group have the same
  console.log(
    `${PUSHES} pushes acknowledged in ${(tookMs / 1_000).toFixed(1)} s, ${Math.round((PUSHES * 1_000) / tookMs)} a second; ` +
      `${settlements} settlements in ${groups} transactions; pages beside them ${beside.join(' and ')}`,
  );
}, 3_600_000);
