import type { Bench } from './bench';
import { pushBody } from './push-body';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { type RunningApi, startBenchApi } from './start-bench-api';
import { TicketSource } from './ticket-source';
import { memoryOf, mostMemoryDuring } from './watch-memory';

const MOST_MB = 50;
const MOST_IN_A_PUSH = 5_000;
const PAGES = 100;

/** Memory of the real processes: the API's while it stores more and more records, the worker's while it delivers them. */
export async function measureF5(bench: Bench): Promise<Row[]> {
  const { pageSize, stored } = bench.sizes;
  const store = await bench.openStore();
  const api = await startBenchApi(bench, store);
  const baseUrlOf = () => bench.sinkUrl;
  const stage = await ResetStage.open(bench, store, { channels: 1, pageSize, types: ['tickets'], baseUrlOf });
  const source = new TicketSource(stored);
  const pages = Math.min(PAGES, Math.floor(stored / pageSize / 2));
  const { pid } = stage.worker;
  /** @returns the most of the API while it stores so many records, and then of the worker while it delivers them */
  const pass = async (records: number) => {
    bench.note(`F5: pushing and delivering ${records} tickets`);
    const apiMB = await mostMemoryDuring(api.pid, () => pushOverHttp(api, source, records));
    return { api: apiMB, worker: await mostMemoryDuring(pid, () => stage.drain()) };
  };
  const start = { api: memoryOf(api.pid), worker: memoryOf(pid) };
  const one = await pass(pageSize);
  const some = await pass((pages - 1) * pageSize);
  const rest = await pass(stored - pages * pageSize);
  const more = (what: string, of: keyof typeof start, later: typeof start, sooner: typeof start): Row => ({
    id: 'F5',
    what: `RSS of the ${of}, at most: ${what}`,
    value: later[of] - sooner[of],
    unit: 'MB',
    bound: { hard: false, atMost: MOST_MB },
    detail: [sooner, later].map((at) => `${at[of].toFixed(0)} MB`).join(', then '),
  });
  return [
    more(`${pages} pages - 1 page`, 'worker', some, one),
    more(`${stored} records - its start`, 'worker', rest, start),
    more(`${stored} records - the first ${pages * pageSize}`, 'worker', rest, some),
    more(`${stored} records - the first ${pages * pageSize}`, 'api', rest, some),
  ];
}

async function pushOverHttp(api: RunningApi, source: TicketSource, records: number): Promise<void> {
  for (let left = records; left > 0; left -= MOST_IN_A_PUSH) {
    const tickets = source.take(Math.min(left, MOST_IN_A_PUSH));
    await api.push(Buffer.from(JSON.stringify(pushBody(tickets))));
  }
}
