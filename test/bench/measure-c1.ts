import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { addIntegration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import { WORST_PUSHES } from '../api/worst-pushes';
import { addTestChannel } from '../setup/add-test-channel';
import type { Bench } from './bench';
import { cpuSeconds } from './cpu-seconds';
import { BENCH_COMPANY, pushBody } from './push-body';
import type { Row } from './row';
import { accountsOfTickets, shareWith } from './shared-accounts';
import { startBenchApi } from './start-bench-api';
import { pushSampleTickets, TicketSource } from './ticket-source';
import { closeAtEnd } from '../setup/close-at-end';

const LIMIT = 6_000; // docs/contract.md A10
const QUARTER_OF_A_CORE_S = 15;
const TICKETS = 5_000;
const LEAST_CPU_S = 1;

interface Dearest {
  what: string;
  method?: 'GET' | 'POST';
  path: string;
  /** By turns, so that each push changes what is stored. */
  bodies?: Buffer[];
  caller?: 'channel';
}

const CHANNEL = '/api/v1/channels/dearest';
const LISTS = [
  '/markers',
  '/deliveries?limit=100',
  '/elevators?limit=100',
  '/subscriptions',
  '/digest?entity_type=tickets',
];

/** The CPU of the API, where one caller sends the dearest requests of a route as often as its limit of a minute lets it. */
export async function measureC1(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  await pushSampleTickets(store, bench.sizes.runs.at(-1)!);
  const { apiKey } = await addTestChannel(store, 'dearest', bench.sinkUrl, { scope: 'subscribed' });
  await shareWith(store, 'dearest', await accountsOfTickets(store));
  const api = await startBenchApi(bench, store);
  const agent = new Agent();
  closeAtEnd(() => agent.destroy());
  const rows: Row[] = [];
  const ask = async ({ path, method = 'GET', bodies }: Dearest, token: string, nth: number) => {
    const headers = { authorization: token, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const body = bodies?.[nth % bodies.length] ?? null;
    const answer = await request(`${api.url}${path}`, { method, headers, body, dispatcher: agent });
    await answer.body.dump();
    return answer.statusCode;
  };
  for (const one of await dearest()) {
    const tokenOf = async () =>
      one.caller ? apiKey : (await addIntegration(store, { name: one.what, company: BENCH_COMPANY })).token;
    const token = await tokenOf();
    for (let nth = 0; nth < 2; nth++) await ask(one, token, nth);
    const [began, before] = [cpuSeconds(api.pid), await charged(store)];
    let asked = 0;
    while (cpuSeconds(api.pid) - began < LEAST_CPU_S) if ((await ask(one, token, asked++)) === 429) break;
    const cpu = cpuSeconds(api.pid) - began;
    const counts = Math.max(1, ((await charged(store)) - before) / asked);
    bench.note(`C1: ${one.what}: ${cpu} s, ${asked} requests, each counts as ${counts.toFixed(1)}`);
    rows.push({
      ...{
        id: 'C1',
        what: `CPU a minute at the limit: ${one.what}`,
        unit: 's',
        value: (cpu / asked / counts) * LIMIT,
      },
      ...{ bound: { hard: false, atMost: QUARTER_OF_A_CORE_S } },
      detail: `${((cpu * 1_000) / asked).toFixed(1)} ms, counts as ${counts.toFixed(1)}`,
    });
  }
  return rows;
}

/** What all callers have been charged so far, up to the portion that a process has not told yet (docs/decisions/0023). */
async function charged(store: Store): Promise<number> {
  const [all] = await store.db
    .collection('attempt_counts')
    .aggregate([{ $group: { _id: null, points: { $sum: '$points' } } }])
    .toArray();
  return (all?.['points'] as number | undefined) ?? 0;
}

const pushOfSmall = () =>
  JSON.stringify({
    data: [
      {
        'update-accounts': {
          accounts: Array.from({ length: TICKETS }, (_, id) => ({ id: String(id), name: 'M' })),
        },
      },
    ],
  });

async function dearest(): Promise<Dearest[]> {
  const push = (what: string, body: string, query = ''): Dearest => ({
    what: `push, ${what}`,
    method: 'POST',
    path: `/api/v1/push${query}`,
    bodies: [body, body.replaceAll('"name":"M"', '"name":"N"')].map((each) => gzipSync(each)),
  });
  const of = (caller: Dearest['caller'], path: string): Dearest => ({
    what: path,
    path: caller ? CHANNEL + path : path,
    ...(caller && { caller }),
  });
  const tickets = JSON.stringify(pushBody(new TicketSource(TICKETS).take(TICKETS)));
  const ranges = JSON.stringify({ entity_type: 'tickets', ranges: [{ hash: '0'.repeat(64) }] });
  return [
    push('one account', '{"data":[{"update-accounts":{"accounts":[{"id":"1","name":"M"}]}}]}'),
    push(`${TICKETS} tickets`, tickets),
    push(`${TICKETS} accounts of an id and a name`, pushOfSmall()),
    push(`${TICKETS} tickets, dry run`, tickets, '?dry_run=true'),
    ...Object.entries(WORST_PUSHES).map(([what, body]) => push(what, body())),
    ...['/api/v1/records/tickets?limit=5000', '/api/v1/check', '/api/v1/pushes/none'].map((path) =>
      of(undefined, path),
    ),
    ...LISTS.map((path) => of('channel', path)),
    { ...of('channel', '/digest'), what: 'POST /digest', method: 'POST', bodies: [gzipSync(ranges)] },
  ];
}
