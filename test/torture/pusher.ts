import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LedgerEntry } from './ledger';

/** A pusher's settings, as JSON in its first argument. */
export interface PusherOrders {
  name: string;
  urls: string[];
  token: string;
  seconds: number;
  idsPerType: number;
}

const TYPES = ['accounts', 'contracts', 'tickets', 'settlements'];
const orders = JSON.parse(process.argv[2]!) as PusherOrders;
const clock = () => String(process.hrtime.bigint());

/** An ERP in a process of its own: pushes until its time is over, and prints its ledger line by line. */
async function main(): Promise<void> {
  const end = Date.now() + orders.seconds * 1_000;
  for (let count = 1; Date.now() < end; count++) {
    const note = `${orders.name}-${count}`;
    const batch = randomBatch(note);
    const began = clock();
    await pushUntilAnswered(batch);
    const records = [...batch].flatMap(([type, list]) => list.map(({ id }) => `${type} ${id}`));
    const entry: LedgerEntry = { note, records, began, answered: clock() };
    process.stdout.write(`${JSON.stringify(entry)}\n`);
  }
}

/** 1 to 20 of the ids that all pushers share, of several types, and one settlement that nobody pushes again. */
function randomBatch(note: string): Map<string, { id: string }[]> {
  const chosen = new Set(
    Array.from({ length: randomInt(1, 21) }, () => randomInt(TYPES.length * orders.idsPerType)),
  );
  const batch = new Map<string, { id: string }[]>();
  for (const number of chosen) {
    const type = TYPES[number % TYPES.length]!;
    const id = String(Math.floor(number / TYPES.length));
    const record = { id, note, ...(type === 'accounts' ? { name: 'Meyer Farms' } : { account_id: '1' }) };
    batch.set(type, [...(batch.get(type) ?? []), record]);
  }
  const settlement = { id: note, note, account_id: '1' };
  batch.set('settlements', [...(batch.get('settlements') ?? []), settlement]);
  return batch;
}

/** Repeats the same request under the same id until it is answered 204, as docs/erp.md says. */
async function pushUntilAnswered(batch: Map<string, object[]>): Promise<void> {
  const id = randomUUID();
  const body = JSON.stringify({
    data: [...batch].map(([type, list]) => ({ [`update-${type}`]: { [type]: list } })),
  });
  const headers = { authorization: orders.token, 'content-type': 'application/json', 'x-request-id': id };
  for (;;) {
    const url = `${orders.urls[randomInt(orders.urls.length)]}/api/v1/push`;
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.status === 204) return;
    if (answer && answer.status < 500) throw new Error(`${answer.status}: ${await answer.text()}`);
    await setTimeout(100);
  }
}

void main();
