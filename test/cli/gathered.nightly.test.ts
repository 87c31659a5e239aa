import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { cases } from '../setup/cases';
import { type Pushing, startPushing } from './start-pushing';

// A long file whose rows are gathered, by docs/contract.md E15, E20 and E21: a million rows with GDX_CASES=1000000.

const ROWS = cases(5_000, 20_000);
const TICKETS = Math.floor(ROWS * 0.4);
const KILLS = 20;
const MOST_MB = 300;
const MOST_TIMES = 1.5;
const LONGEST_MS = 3 * 3_600_000; // of a million rows on a loaded machine

const SHARE = { account_id: 'Account', split_percent: 'Share' };
const mapping = (more: object, splits: object) => ({
  type: 'tickets',
  ...more,
  record: { id: 'Ticket', net_weight: 'Net', weight_uom: { value: 'lb' }, splits },
});
const GATHERED = mapping({ gather: true }, { each: 'rows', item: SHARE });

let api: Api;
let erp: Pushing;
beforeEach(async () => {
  api = await startApi({ limits: { requestsPerMinute: 1e9 } });
  erp = startPushing(`http://127.0.0.1:${api.port}`, await integrationToken(api.store));
});

/** @param ticketOf the ticket of a row */
async function writeRows(name: string, ticketOf: (row: number) => number): Promise<string> {
  const out = createWriteStream(erp.at(name));
  out.write('Ticket,Account,Net,Share\n');
  for (let row = 0; row < ROWS; row++) {
    const ticket = ticketOf(row);
    if (!out.write(`T-${ticket},${1_000 + (row % 200)},"1,${100 + (ticket % 900)}",${(row % 100) + 1}\n`))
      await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return erp.at(name);
}

/** The first row and the last belong together, and those of a ticket lie far apart. */
const farApart = (row: number) => (row === ROWS - 1 ? 0 : (row * 7_919) % TICKETS);

/** Pushes a file to its end. */
async function pushWatched(file: string, ...args: string[]) {
  const began = Date.now();
  const running = erp.start(file, ...args, '--json');
  let megabytes = 0;
  while (running.child.exitCode === null) {
    megabytes = Math.max(megabytes, erp.megabytes(running.child.pid!));
    await sleep(50);
  }
  expect(await running.ended).toBe(0);
  return { ms: Date.now() - began, megabytes, out: running.lines.join('\n') };
}

async function storedSplits(): Promise<number> {
  let splits = 0;
  for await (const { wire } of api.store.db.collection<{ wire: Buffer }>('tickets').find())
    splits += (JSON.parse(wire.toString()) as { ticket: { splits: unknown[] } }).ticket.splits.length;
  return splits;
}

const batch = ['--batch', String(Math.max(10, Math.min(1_000, Math.floor(TICKETS / 100))))];

test(
  `${ROWS} rows are gathered into ${TICKETS} tickets, with ${KILLS} kill -9: none lost, none doubled`,
  async () => {
    const args = ['--mapping', erp.write('mapping.json', GATHERED), ...batch];
    const file = await writeRows('export.csv', farApart);
    expect(await erp.pushKilled('export.csv', args, KILLS, 2)).toBe(KILLS);
    const { out } = await pushWatched(file, ...args);
    expect(out).toContain(`"changed": ${TICKETS},`);
    expect(await api.store.db.collection('tickets').countDocuments()).toBe(TICKETS);
    const counter = await api.store.db.collection('counters').findOne({ _id: 'tickets' as never });
    expect(counter?.['position']).toBe(TICKETS);
    expect(await storedSplits()).toBe(ROWS);
  },
  LONGEST_MS,
);

test(
  `gathering ${ROWS} rows takes less than ${MOST_MB} MB and ${MOST_TIMES} times as long as not gathering them`,
  async () => {
    const plain = await writeRows('plain.csv', (row) => row);
    const gathered = await writeRows('gathered.csv', farApart);
    const without = await pushWatched(plain, '--mapping', erp.write('plain.json', mapping({}, [SHARE])));
    const withIt = await pushWatched(gathered, '--mapping', erp.write('gathered.json', GATHERED));
    process.stderr.write(
      `${ROWS} rows: ${without.ms} ms, gathered ${withIt.ms} ms, ${withIt.megabytes} MB at most\n`,
    );
    expect(withIt.megabytes).toBeLessThan(MOST_MB);
    // Of few rows the service and the start of a process take most of the time.
    if (ROWS >= 100_000) expect(withIt.ms).toBeLessThan(without.ms * MOST_TIMES);
  },
  LONGEST_MS,
);
