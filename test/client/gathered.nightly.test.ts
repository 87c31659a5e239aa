import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { cases } from '../setup/cases';
import { cpuSeconds } from '../bench/cpu-seconds';
import { type Pushing, startPushing } from './start-pushing';
import { serveHere } from '../setup/serve-here';

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
async function writeRows(
  { at }: Pushing,
  name: string,
  rows: number,
  ticketOf: (row: number) => number,
): Promise<string> {
  const out = createWriteStream(at(name));
  out.write('Ticket,Account,Net,Share\n');
  for (let row = 0; row < rows; row++) {
    const ticket = ticketOf(row);
    if (!out.write(`T-${ticket},${1_000 + (row % 200)},"1,${100 + (ticket % 900)}",${(row % 25) + 1}\n`))
      await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return at(name);
}

/** The first row and the last belong together, and those of a ticket lie far apart. */
const farApart = (rows: number) => (row: number) =>
  row === rows - 1 ? 0 : (row * 7_919) % Math.floor(rows * 0.4);

/** Pushes a file to its end. */
async function pushWatched(from: Pushing, file: string, ...args: string[]) {
  const began = Date.now();
  const running = from.start(file, ...args, '--json');
  const { child } = running;
  let [megabytes, cpu] = [0, 0];
  while (child.exitCode === null) {
    [megabytes, cpu] = [Math.max(megabytes, from.megabytes(child.pid!)), cpuSeconds(child.pid!)];
    await sleep(50);
  }
  expect(await running.ended).toBe(0);
  return { ms: Date.now() - began, cpu, megabytes, out: running.lines.join('\n') };
}

/** A service that takes every push. */
async function startAnswering() {
  let records = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET')
      return void response.end('{"changed":0,"unchanged":0,"warning_count":0,"warnings":{}}');
    void buffer(request.pipe(createGunzip())).then((body) => {
      records += body.toString('latin1').split('{"id":').length - 1;
      response.writeHead(204).end();
    });
  });
  return { ...(await serveHere(server)), records: () => records };
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
    const file = await writeRows(erp, 'export.csv', ROWS, farApart(ROWS));
    expect(await erp.pushKilled('export.csv', args, KILLS, 2)).toBe(KILLS);
    const { out } = await pushWatched(erp, file, ...args);
    expect(out).toContain(`"changed": ${TICKETS},`);
    expect(await api.store.db.collection('tickets').countDocuments()).toBe(TICKETS);
    const counter = await api.store.db.collection('counters').findOne({ _id: 'tickets' as never });
    expect(counter?.['position']).toBe(TICKETS);
    expect(await storedSplits()).toBe(ROWS);
  },
  LONGEST_MS,
);

// Of the client alone, as the service would take most of the time: it is here what only answers.
const MANY = cases(20_000, 1_000_000);

test(
  `gathering ${MANY} rows takes less than ${MOST_MB} MB and ${MOST_TIMES} times as long as not gathering them`,
  async () => {
    const service = await startAnswering();
    const own = startPushing(service.url, await integrationToken(api.store));
    const plain = await writeRows(own, 'plain.csv', MANY, (row) => row);
    const gathered = await writeRows(own, 'gathered.csv', MANY, farApart(MANY));
    const without = await pushWatched(own, plain, '--mapping', own.write('plain.json', mapping({}, [SHARE])));
    const withIt = await pushWatched(own, gathered, '--mapping', own.write('gathered.json', GATHERED));
    await service.stop();
    process.stderr.write(
      `${MANY} rows: ${without.cpu} s of CPU (${without.ms} ms), gathered ${withIt.cpu} s (${withIt.ms} ms), ${withIt.megabytes} MB at most\n`,
    );
    expect(service.records()).toBe(MANY + Math.floor(MANY * 0.4));
    expect(withIt.megabytes).toBeLessThan(MOST_MB);
    expect(withIt.cpu).toBeLessThan(without.cpu * MOST_TIMES);
  },
  LONGEST_MS,
);
