import type { Document } from 'mongodb';
import type { Store } from '../../store/store';
import type { Selection } from '../../store/window/selection';
import { findInWindow, openWindow, type Window } from '../../store/window/window';
import { putRecords } from '../setup/put-records';
import { type SentCommand, watchCommands } from './count-commands';
import type { Row } from './row';

const MATCHES_AN_ACCOUNT = 4;
const PAGE_SIZE = 60;

/**
 * S2: what the server examines to plan and to read a subscribed channel's window, by its own `explain`, as a multiple of
 * the channel's accounts and records.
 * @param store monitored, and empty
 */
export async function countSubscribed(
  store: Store,
  { accounts, others }: { accounts: number; others: number },
): Promise<Row[]> {
  const matches = accounts * MATCHES_AN_ACCOUNT;
  const window = { after: 0, upTo: others + matches };
  const selection = await fill(store, window, { accounts, matches });
  const explains = await explainsLists(store, window);
  const rows: Row[] = [];
  const steps = {
    plan: () => plan(store, window, selection),
    pages: () => readPages(store, window, selection),
  };
  for (const [step, work] of Object.entries(steps)) {
    const began = Date.now();
    let records = 0;
    const sent = await watchCommands(store, async () => (records = await work()));
    if (records !== matches) throw new Error(`the ${step} found ${records} records instead of ${matches}`);
    const detail = `${accounts} accounts, ${matches} records among ${others} others, ${Date.now() - began} ms`;
    for (const [what, value] of Object.entries(await examine(store, sent)))
      rows.push({
        id: 'S2',
        what: `${step}: ${what}, for each of the channel's`,
        unit: 'count',
        detail,
        ...(explains || what === 'records sent'
          ? { value: value / (matches + accounts), bound: { hard: true, atMost: 2 } }
          : { value: NaN, detail: 'the server does not say' }),
      });
  }
  return rows;
}

/** Everybody's changes, and among them, at equal distances, those of the channel's accounts. */
async function fill(
  store: Store,
  window: Window,
  { accounts, matches }: { accounts: number; matches: number },
): Promise<Selection> {
  const every = Math.floor(window.upTo / matches);
  const most = 20_000;
  for (let first = 1; first <= window.upTo; first += most) {
    const positions = Array.from(
      { length: Math.min(most, window.upTo - first + 1) },
      (_, index) => first + index,
    );
    await putRecords(
      store,
      positions.map((position) => {
        const mine = position % every === 0 && position / every <= matches;
        const account = mine ? `42-mine${(position / every) % accounts}` : `42-${position % 2_000}`;
        return { position, account_ids: [account] };
      }),
    );
  }
  const shared = new Set(Array.from({ length: accounts }, (_, index) => `42-mine${index}`));
  return { companies: [], shared };
}

const plan = async (store: Store, window: Window, selection: Selection) =>
  (await findInWindow(store, 'tickets', window, selection, {})).records;

const readPages = (store: Store, window: Window, selection: Selection) =>
  store.client.withSession(async (session) => {
    const query = { window, selection, read: 'positions', span: PAGE_SIZE, session } as const;
    const reader = openWindow(store, 'tickets', query);
    let records = 0;
    for (let { after } = window; after < window.upTo;) {
      const page = await reader.read(after, PAGE_SIZE);
      records += page.records.length;
      after = page.end;
    }
    return records;
  });

async function examine(store: Store, sent: SentCommand[]): Promise<Record<string, number>> {
  const examined = { 'keys examined': 0, 'documents examined': 0, 'records sent': 0 };
  for (const { name, command } of sent) {
    if (name === 'getMore') continue;
    if (name !== 'find') throw new Error(`a ${name} is not explained here`);
    const told = await explain(store, command);
    examined['keys examined'] += told.totalKeysExamined;
    examined['documents examined'] += told.totalDocsExamined;
    examined['records sent'] += told.nReturned;
  }
  return examined;
}

async function explain(
  { db }: Store,
  { find, filter, projection, sort, limit }: Document,
): Promise<Document> {
  const query = { find, filter, limit, ...(projection && { projection }), ...(sort && { sort }) };
  return (await db.command({ explain: query, verbosity: 'executionStats' })).executionStats;
}

/** A stand-in of MongoDB says that it reads everything for a list beside a range, though it does not. */
async function explainsLists(store: Store, { upTo }: Window): Promise<boolean> {
  const filter = { account_ids: { $in: ['42-1', '42-2'] }, position: { $gt: 0 } };
  const told = await explain(store, { find: 'tickets', filter, limit: upTo });
  return told.totalDocsExamined < upTo;
}
