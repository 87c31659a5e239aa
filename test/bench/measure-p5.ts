import type { Bench } from './bench';
import { interleave, medianLap, ratio } from './interleave';
import { addIntegrations, loading } from './push-load';
import type { Row } from './row';
import { startBenchApi } from './start-bench-api';
import { TicketSource } from './ticket-source';

const PUSHERS = [1, 4, 16] as const;
const RECORDS = 250;

/** The same pushes of one type from more and more ERPs at once: they form a line, and must not make it slower. */
export async function measureP5(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const api = await startBenchApi(bench, store);
  const most = PUSHERS.at(-1)!;
  const tokens = await addIntegrations(store, most);
  const source = new TicketSource(bench.sizes.rounds * PUSHERS.length * most * RECORDS);
  const pushing = (count: number) =>
    loading({
      url: `${api.url}/api/v1/push`,
      tokens: tokens.slice(0, count),
      pushes: most / count,
      records: RECORDS,
      source,
    });
  bench.note(`P5: pushes of ${RECORDS} records by ${PUSHERS.join(', ')} at once`);
  const contestants = Object.fromEntries(PUSHERS.map((count) => [count, pushing(count)]));
  const laps = await interleave(contestants, bench.sizes.rounds);
  const rate = (count: number) => Math.round((1_000 * RECORDS) / medianLap(laps[count]!));
  return PUSHERS.slice(1).map((count) => ({
    id: 'P5',
    what: `records a second: ${count} pushers of one type / 1`,
    value: ratio(laps[1]!, laps[count]!),
    unit: 'x',
    bound: { hard: false, atLeast: 1 },
    detail: `${rate(count)}/s, of one ${rate(1)}/s`,
  }));
}
