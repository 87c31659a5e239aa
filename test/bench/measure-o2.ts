import {
  countChanges,
  countPostedPage,
  countPushGroup,
  countPushRecords,
  countRequest,
} from '../../telemetry/counts';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { cpuSeconds } from './cpu-seconds';
import { Feeder } from './feeder';
import { type Contestant, interleave, medianLap } from './interleave';
import { addIntegrations, loading } from './push-load';
import type { Row } from './row';
import { startBenchApi } from './start-bench-api';
import { pushSampleTickets, TicketSource } from './ticket-source';

const CONNECTIONS = 16;
const PUSHES = 100;

/** What the metrics cost: the CPU of what is counted for a push and for a page, in hundredths of the CPU of all that is done for it. */
export async function measureO2(bench: Bench): Promise<Row[]> {
  return [await measurePush(bench), await measurePage(bench)];
}

async function measurePush(bench: Bench): Promise<Row> {
  const store = await bench.openStore();
  const tokens = await addIntegrations(store, CONNECTIONS);
  const api = await startBenchApi(bench, store);
  const source = new TicketSource(150_000);
  const load = { url: `${api.url}/api/v1/push`, tokens, pushes: PUSHES, records: 1, source };
  bench.note(`O2: pushes over ${CONNECTIONS} connections`);
  await interleave({ pushes: loading(load) }, 1); // warms the API up
  const began = cpuSeconds(api.pid);
  await interleave({ pushes: loading(load) }, bench.sizes.rounds);
  const push = ((cpuSeconds(api.pid) - began) * 1_000) / (bench.sizes.rounds * CONNECTIONS * PUSHES);
  return row('counting a push', await countingMs(countPush), push);
}

async function measurePage(bench: Bench): Promise<Row> {
  const { feedPages: pages, pageSize, rounds } = bench.sizes;
  const store = await bench.openStore();
  await pushSampleTickets(store, pages * pageSize);
  const agent = loopbackAgent();
  bench.note(`O2: ${pages} pages of ${pageSize} records`);
  const feeder = await Feeder.add(store, agent, bench.sinkUrl, { pageSize });
  const { page } = await interleave({ page: feeder.deliveringPages(pages) }, rounds);
  return row('counting a page', await countingMs(() => countPage(pageSize)), medianLap(page, 'cpu'));
}

/** As api/http/log-request, api/erp/post-push and the queue of pushes count it. */
function countPush(): void {
  countRequest('POST', '/api/v1/push', { status: 204, seconds: 0.01 });
  countPushRecords({ changed: 1, unchanged: 0 });
  countPushGroup(CONNECTIONS);
}

/** As activities/deliver counts a page whose records came with pushes of their own. */
function countPage(records: number): void {
  countPostedPage(undefined, 0.01);
  const waits = Array.from({ length: records }, (_, seconds) => ({ seconds, records: 1 }));
  countChanges('bench', { waits, records, late: 0 });
}

/** @returns milliseconds of CPU a time */
async function countingMs(count: () => void): Promise<number> {
  const times: Contestant = {
    run: async () => {
      for (let time = 0; time < times.units; time++) count();
    },
    units: 2_000,
  };
  const { counting } = await interleave({ counting: times }, 5);
  return medianLap(counting, 'cpu');
}

const row = (what: string, counting: number, all: number): Row => ({
  id: 'O2',
  what: `${what} / all that is done for it, CPU`,
  value: (counting / all) * 100,
  unit: '%',
  bound: { hard: false, atMost: 3 },
  detail: `${(counting * 1_000).toFixed(1)} us of ${all.toFixed(2)} ms`,
});
