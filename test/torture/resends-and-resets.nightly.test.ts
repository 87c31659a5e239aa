import { readMarkers } from '../../store/markers/markers';
import { listReleased } from '../../store/deliveries/set-aside';
import { readCeiling } from '../../store/records/counters';
import { outOfOrder } from '../commit-order/promise';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startService } from '../setup/processes';
import { pushRecords } from '../setup/push-records';
import { startWorker } from '../setup/start-worker';
import { storedNotes } from '../setup/stored-notes';
import { addFed, heldNotes } from './fed';

// As many as a customer may ask for in a minute, through two APIs, while an ERP pushes.
const [RESENDS, RESETS, AT_ONCE] = [600, 60, 6];
const TICKETS = 300;
const CADENCE_MS = 1_000;
const SETTLE_MS = 150_000;

test('600 resends and 60 resets, as fast as they are taken, lose nothing, and the marker ends at the newest record', async () => {
  const uri = newDatabaseUri();
  const store = await openStore(uri);
  const worker = await startWorker(store);
  const env = { MONGODB_URI: uri, GDX_TASK_QUEUE: worker.taskQueue };
  const apis = await Promise.all([startService('api', env), startService('api', env)]);
  const fed = await addFed(store, 'acme', { page_size: 50, cadence_ms: CADENCE_MS });
  const push = (from: number, count: number, note: string) =>
    pushRecords(store, {
      tickets: Array.from({ length: count }, (_, index) => ({
        id: String((from + index) % TICKETS),
        account_id: '1',
        note,
      })),
    });
  const ask = async (number: number, path: string, body: object) => {
    const answer = await fetch(`${apis[number % 2]!.url}/api/v1/channels/${fed.slug}/${path}`, {
      method: 'POST',
      headers: { authorization: fed.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)]);
  };
  await push(0, TICKETS, 'first');
  expect(await worker.temporal.ensureRunning(fed.slug, CADENCE_MS)).toBe(true);
  await eventually(() => expect(fed.customer.pages.length).toBeGreaterThan(0));
  const asks = Array.from({ length: RESENDS }, (_, number) => async () => {
    const ids = [`42-${number % TICKETS}`, `42-${(number * 7) % TICKETS}`];
    await ask(number, 'resend', { entity_type: 'tickets', ids });
    if (number % (RESENDS / RESETS) > 0) return;
    await ask(number + 1, 'markers/tickets/reset', { timestamp: '2026-01-01T00:00:00Z' });
    await push(number, 5, `of ${number}`);
  });
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = asks.shift(); next; next = asks.shift()) await next();
    }),
  );
  const tookMs = performance.now() - began;
  await push(17, 1, 'last');

  const ceiling = await readCeiling(store, 'tickets');
  const stored = await storedNotes(store);
  await eventually(async () => {
    expect(heldNotes(fed)).toEqual(stored);
    expect((await readMarkers(store, fed.slug)).get('tickets')?.position).toBe(ceiling);
    expect(await listReleased(store, fed.slug)).toEqual([]);
  }, SETTLE_MS);
  expect(outOfOrder(fed.customer)).toEqual([]);
  console.log(
    `${RESENDS} resends and ${RESETS} resets in ${Math.round(tookMs / 1_000)} s, ${fed.customer.pages.length} pages`,
  );
}, 400_000);
