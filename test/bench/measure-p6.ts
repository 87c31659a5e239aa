import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { type Contestant, interleave, medianLap, quantile, ratio } from './interleave';
import { databaseUri } from './open-bench-store';
import { addIntegrations, loading } from './push-load';
import type { Row } from './row';
import { startBenchApi } from './start-bench-api';
import { startBenchProcess } from './start-bench-process';
import { TicketSource } from './ticket-source';

const CONNECTIONS = [1, 16, 64] as const;
const PUSHES_A_CONNECTION = 25;
const LEAST_A_ROUND = 400; // fewer over one connection are over before the API is warm again

/** Pushes of one new record each over more and more connections, beside a plain route that writes the same body. */
export async function measureP6(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const api = await startBenchApi(bench, store);
  const plain = await startPlainRoute(bench, store);
  const integrations = await addIntegrations(store, CONNECTIONS.at(-1)!);
  const times = Object.fromEntries(CONNECTIONS.map((count) => [count, [] as number[]]));
  const contestants: Record<string, Contestant> = {};
  for (const count of CONNECTIONS) {
    const tokens = integrations.slice(0, count);
    const pushes = Math.max(PUSHES_A_CONNECTION, LEAST_A_ROUND / count);
    const load = { tokens, pushes, records: 1, source };
    contestants[`ours ${count}`] = loading({
      ...load,
      url: `${api.url}/api/v1/push`,
      times: times[count]!,
    });
    contestants[`plain ${count}`] = loading({ ...load, url: plain.url });
  }
  bench.note(`P6: pushes of one record over ${CONNECTIONS.join(', ')} connections`);
  const laps = await interleave(contestants, bench.sizes.rounds);
  const wall = (name: string) => medianLap(laps[name]!);
  const at = (count: number, share: number) => quantile(times[count]!, share);
  const shown = (count: number) =>
    `${count}: ${Math.round(1_000 / wall(`ours ${count}`))}/s, p50 ${at(count, 0.5).toFixed(1)} ms, p99 ${at(count, 0.99).toFixed(1)} ms`;
  const detail = CONNECTIONS.map(shown).join('; ');
  return [
    row(
      'pushes a second over 64 connections: ours / plain route',
      ratio(laps['plain 64']!, laps['ours 64']!),
      0.5,
      detail,
    ),
    row('pushes a second: 64 connections / 1', wall('ours 1') / wall('ours 64'), 5),
    {
      ...row('p99 / p50 over 64 connections', at(64, 0.99) / at(64, 0.5), 0),
      bound: { hard: false, atMost: 3 },
    },
  ];
}

const row = (what: string, value: number, atLeast: number, detail = ''): Row => {
  return { id: 'P6', what, value, unit: 'x', bound: { hard: false, atLeast }, detail };
};

const source = new TicketSource(150_000);

async function startPlainRoute(bench: Bench, { db }: Store): Promise<{ url: string; stop: () => void }> {
  const uri = databaseUri(bench.mongodbUri, db.databaseName);
  const { told: port, stop } = await startBenchProcess<number>('plain-route-process', uri);
  return { url: `http://127.0.0.1:${port}/`, stop };
}
