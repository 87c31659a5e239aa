import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { Feeder } from './feeder';
import { type Contestant, interleave, medianLap, ratio } from './interleave';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

// A single page is over too soon to be timed alone.
const TIMES = 10;

/** A whole run, planned and delivered, over more and more records; and its last page against its first. */
export async function measureF3(bench: Bench): Promise<Row[]> {
  const { runs, pageSize, rounds } = bench.sizes;
  const agent = loopbackAgent();
  const contestants: Record<string, Contestant> = {};
  for (const records of runs) {
    bench.note(`F3: storing ${records} tickets`);
    const store = await bench.openStore();
    await pushSampleTickets(store, records);
    const feeder = await Feeder.add(store, agent, bench.sinkUrl, { pageSize });
    contestants[records] = wholeRun(feeder, records);
    if (records !== runs.at(-1)) continue;
    const page = Math.min(pageSize, records / 2);
    contestants['first'] = onePage(feeder, 0, page);
    contestants['last'] = onePage(feeder, records - page, page);
  }
  const laps = await interleave(contestants, rounds);
  const [largest, before] = [runs.at(-1)!, runs.at(-2) ?? runs.at(-1)!];
  return [
    {
      id: 'F3',
      what: `wall a record: run of ${largest} / run of ${before}`,
      value: ratio(laps[largest]!, laps[before]!),
      unit: 'x',
      bound: { hard: false, atMost: 1.15 },
      detail: runs.map((run) => `${run}: ${(medianLap(laps[run]!) * 1_000).toFixed(1)} us`).join(', '),
    },
    {
      id: 'F3',
      what: `last page of ${largest} records / first page`,
      value: ratio(laps['last']!, laps['first']!),
      unit: 'x',
      bound: { hard: false, atMost: 1.3 },
    },
  ];
}

function wholeRun(feeder: Feeder, records: number): Contestant {
  return {
    prepare: () => feeder.putMarker(0),
    run: async () => void (await feeder.deliver(await feeder.plan())),
    units: records,
  };
}

function onePage(feeder: Feeder, from: number, page: number): Contestant {
  const run = async () => {
    for (let time = 0; time < TIMES; time++) {
      await feeder.putMarker(from);
      await feeder.deliver(feeder.window(from, from + page));
    }
  };
  return { run, units: TIMES };
}
