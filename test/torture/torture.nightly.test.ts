import { setTimeout } from 'node:timers/promises';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { formatInstant } from '../../domain/time/instants';
import { beginHistory, judgeHistory, recordReset } from '../../tools/judge/record-history';
import { addIntegration } from '../../store/callers/integrations';
import { outOfOrder } from '../commit-order/promise';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { type Service, startService } from '../setup/processes';
import { startWorker } from '../setup/start-worker';
import { storedNotes } from '../setup/stored-notes';
import { addFed, type Fed, heldNotes } from './fed';
import { impossible } from './ledger';
import { runPusher } from './run-pusher';
import { closeAtEnd } from '../setup/close-at-end';

const SECONDS = 20;
const SETTLE_MS = 150_000; // pages of seven, on a busy machine
const CADENCE_MS = 1_000;

const anyOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

// A reset sends again, so it would hide a loss: settlements are never reset, and each push brings a new one.
const RESET_TYPES = ENTITY_TYPES.filter((type) => type !== 'settlements');

/** Resets at random, to random times, until told to stop. @returns how many */
async function resetAtRandom(apis: Service[], fed: Fed[], stop: AbortSignal): Promise<number> {
  const began = Date.now();
  let resets = 0;
  while (!stop.aborted) {
    const { slug, apiKey } = anyOf(fed);
    const type = anyOf(RESET_TYPES);
    const body = JSON.stringify({ timestamp: formatInstant(began + Math.random() * (Date.now() - began)) });
    const asked = Date.now();
    const answer = await fetch(`${anyOf(apis).url}/api/v1/channels/${slug}/markers/${type}/reset`, {
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      body,
    });
    recordReset(slug, type, body, asked, answer.status);
    expect(answer.status).toBe(200);
    resets += 1;
    await setTimeout(300 + Math.random() * 1_200);
  }
  return resets;
}

test('pushes from four processes, resets and failing customers at once: nothing acknowledged is missing', async () => {
  beginHistory();
  const uri = newDatabaseUri();
  const store = await openStore(uri);
  const worker = await startWorker(store);
  const apis = await Promise.all(
    [1, 2].map(() => startService('api', { MONGODB_URI: uri, GDX_TASK_QUEUE: worker.taskQueue })),
  );
  const { token } = await addIntegration(store, { name: 'agris', company: COMPANY });
  const failing = () => (Math.random() < 0.1 ? 503 : 200);
  const fed = [
    await addFed(store, 'acme', { page_size: 7, cadence_ms: CADENCE_MS }, failing),
    await addFed(store, 'bison', { page_size: 100, cadence_ms: CADENCE_MS }, failing),
  ];
  const quiet = new AbortController();
  closeAtEnd(() => quiet.abort());
  for (const { slug } of fed) expect(await worker.temporal.ensureRunning(slug, CADENCE_MS)).toBe(true);
  const resetting = resetAtRandom(apis, fed, quiet.signal);
  const urls = apis.map(({ url }) => url);
  const pushers = ['erp1', 'erp2', 'erp3', 'erp4'].map((name) =>
    runPusher({ name, urls, tokens: [token], seconds: SECONDS, most: 20, idsPerType: 60 }),
  );
  const ledger = (await Promise.all(pushers)).flat();
  quiet.abort();
  const resets = await resetting;
  for (const { customer } of fed) customer.script = () => 200;

  const stored = await storedNotes(store);
  expect(impossible(ledger, stored)).toEqual([]);
  for (const one of fed) {
    await eventually(() => expect(heldNotes(one)).toEqual(stored), SETTLE_MS);
    expect(outOfOrder(one.customer)).toEqual([]);
  }
  const pages = fed.map(({ customer }) => customer.pages.length);
  console.log(`${ledger.length} pushes acknowledged, ${resets} resets, pages ${pages.join(' and ')}`);
  const judgement = judgeHistory();
  console.log(judgement?.lines.slice(-20).join('\n'));
  expect(judgement?.accepted).toBe(true);
  expect(Math.min(ledger.length, ...pages)).toBeGreaterThan(4); // however slow the machine is
}, 400_000);
