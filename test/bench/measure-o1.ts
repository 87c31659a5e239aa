import pino from 'pino';
import { openTelemetry } from '../../telemetry/open-telemetry';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { Feeder } from './feeder';
import { interleave, medianLap, ratio } from './interleave';
import { addIntegrations, loading } from './push-load';
import type { Row } from './row';
import { startBenchApi } from './start-bench-api';
import { pushSampleTickets, TicketSource } from './ticket-source';
import { closeAtEnd } from '../setup/close-at-end';

const CONNECTIONS = 16;
const PUSHES = 150;
// Each record of a page is of one of so many pushes.
const TRACES = 100;

/** Pushes and pages with every trace kept, and sent to a collector in another process, beside the same without traces. */
export async function measureO1(bench: Bench): Promise<Row[]> {
  return [await measurePushes(bench), await measurePages(bench)];
}

async function measurePushes(bench: Bench): Promise<Row> {
  const store = await bench.openStore();
  const tokens = await addIntegrations(store, CONNECTIONS);
  const source = new TicketSource(150_000);
  const without = await startBenchApi(bench, store);
  const traced = await startBenchApi(bench, store, 1, { OTEL_EXPORTER_OTLP_ENDPOINT: bench.sinkUrl });
  const load = { tokens, pushes: PUSHES, records: 1, source };
  const of = (url: string) => loading({ ...load, url: `${url}/api/v1/push` });
  bench.note(`O1: pushes over ${CONNECTIONS} connections`);
  const laps = await interleave({ traced: of(traced.url), without: of(without.url) }, bench.sizes.rounds);
  const rate = (name: keyof typeof laps) => Math.round(1_000 / medianLap(laps[name]));
  return row(
    'a push: with traces / without',
    ratio(laps.traced, laps.without),
    `${rate('traced')} and ${rate('without')} pushes a second`,
  );
}

async function measurePages(bench: Bench): Promise<Row> {
  const { feedPages: pages, pageSize, rounds } = bench.sizes;
  const store = await bench.openStore();
  await pushSampleTickets(store, pages * pageSize);
  await nameTraces(store.db.collection('tickets'));
  const { tracing, close } = openTelemetry(
    bench.sinkUrl,
    { name: 'gdx-worker', version: '0' },
    pino({ level: 'silent' }),
  );
  const tracedStore = Object.assign(Object.create(store) as typeof store, { tracing });
  closeAtEnd(close);
  const agent = loopbackAgent();
  bench.note(`O1: ${pages} pages of ${pageSize} records`);
  const traced = await Feeder.add(tracedStore, agent, bench.sinkUrl, { pageSize });
  const without = await Feeder.add(store, agent, bench.sinkUrl, { pageSize });
  const contestants = { traced: traced.deliveringPages(pages), without: without.deliveringPages(pages) };
  const laps = await interleave(contestants, rounds);
  const shown = (name: keyof typeof laps) => medianLap(laps[name]).toFixed(1);
  return row(
    'a page: with traces / without',
    ratio(laps.traced, laps.without),
    `${shown('traced')} and ${shown('without')} ms a page`,
  );
}

interface Tickets {
  updateMany(filter: object, update: object): Promise<unknown>;
}

/** As if each had come with a push whose trace was kept. */
async function nameTraces(tickets: Tickets): Promise<void> {
  for (let number = 0; number < TRACES; number++) {
    const id = (number + 1).toString(16).padStart(16, '0');
    const $set = { trace: `00-${id}${id}-${id}-01` };
    await tickets.updateMany({ position: { $mod: [TRACES, number] } }, { $set });
  }
}

const row = (what: string, value: number, detail: string): Row => {
  return { id: 'O1', what, value, unit: 'x', bound: { hard: false, atMost: 1.05 }, detail };
};
