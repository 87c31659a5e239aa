import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { recordPush } from '../../tools/judge/record-history';
import type { LedgerEntry } from './ledger';

/** A pusher's settings, as JSON in its first argument. */
export interface PusherOrders {
  name: string;
  urls: string[];
  /** One for each connection. */
  tokens: string[];
  /** It ends after this time, or after so many pushes. */
  seconds?: number;
  pushes?: number;
  /** How many records a push has at most, beside the settlement that nobody pushes again. 0: that or another one. */
  most: number;
  idsPerType: number;
}

const TYPES = ['accounts', 'contracts', 'tickets', 'settlements'];
const orders = JSON.parse(process.argv[2]!) as PusherOrders;
const clock = () => String(process.hrtime.bigint());
const agent = new Agent();
let begun = 0;

/** An ERP in a process of its own: pushes over its connections, and prints its ledger line by line. */
async function main(): Promise<void> {
  const { seconds = Infinity, pushes = Infinity, tokens } = orders;
  const end = Date.now() + seconds * 1_000;
  await Promise.all(
    tokens.map(async (token, connection) => {
      while (Date.now() < end && begun < pushes) await pushOne(token, connection);
    }),
  );
  await agent.close();
}

async function pushOne(token: string, connection: number): Promise<void> {
  const note = `${orders.name}-${++begun}`;
  const batch = randomBatch(note);
  const began = clock();
  await pushUntilAnswered(batch, token, connection);
  const records = [...batch].flatMap(([type, list]) => list.map(({ id }) => `${type} ${id}`));
  const entry: LedgerEntry = { note, records, began, answered: clock() };
  process.stdout.write(`${JSON.stringify(entry)}\n`);
}

/** Ids that all pushers share, of several types, and one settlement that nobody pushes again; or one of both. */
function randomBatch(note: string): Map<string, { id: string }[]> {
  const isSingle = orders.most === 0;
  const shared = isSingle ? Number(randomInt(4) === 0) : randomInt(1, orders.most + 1);
  const chosen = new Set(Array.from({ length: shared }, () => randomInt(TYPES.length * orders.idsPerType)));
  const batch = new Map<string, { id: string }[]>();
  for (const number of chosen) {
    const type = TYPES[number % TYPES.length]!;
    const id = String(Math.floor(number / TYPES.length));
    const record = { id, note, ...(type === 'accounts' ? { name: 'Meyer Farms' } : { account_id: '1' }) };
    batch.set(type, [...(batch.get(type) ?? []), record]);
  }
  if (isSingle && shared > 0) return batch;
  const settlement = { id: note, note, account_id: '1' };
  batch.set('settlements', [...(batch.get('settlements') ?? []), settlement]);
  return batch;
}

/** Mostly nothing; else that all was pushed up to a day of which nobody else says so. */
const aWord = () =>
  randomInt(4) > 0
    ? {}
    : { complete_through: new Date(Date.UTC(2000, 0, randomInt(1, 9_000))).toISOString().slice(0, 10) };

/**
 * Repeats the same request under the same id until it is answered 204, as docs/erp.md says: at the connection's own
 * address, and at the next where that does not answer.
 */
async function pushUntilAnswered(
  batch: Map<string, object[]>,
  token: string,
  connection: number,
): Promise<void> {
  const id = randomUUID();
  const body = JSON.stringify({
    data: [...batch].map(([type, list]) => ({ [`update-${type}`]: { [type]: list, ...aWord() } })),
  });
  const headers = { authorization: token, 'content-type': 'application/json', 'x-request-id': id };
  for (let tries = 0; ; tries++) {
    const url = `${orders.urls[(connection + tries) % orders.urls.length]}/api/v1/push`;
    const began = Date.now();
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent }).catch(() => null);
    const text = await answer?.body.text();
    recordPush('42', id, body, began, answer && { status: answer.statusCode, answer: text });
    if (answer?.statusCode === 204) return;
    if (answer && answer.statusCode < 500) throw new Error(`${answer.statusCode}: ${text}`);
    await setTimeout(100);
  }
}

void main();
