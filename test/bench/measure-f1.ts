import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { Feeder } from './feeder';
import { interleave, medianLap, ratio } from './interleave';
import { fillNaive, naiveFeed } from './naive-service';
import { rawFeed } from './raw-feed';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

/** The feed through the real activity, against the raw loop and the naive service on the same store and sink. */
export async function measureF1(bench: Bench): Promise<Row[]> {
  const { feedPages, naivePages, pageSize, rounds } = bench.sizes;
  const store = await bench.openStore();
  bench.note(`F1: storing ${feedPages * pageSize} tickets`);
  await pushSampleTickets(store, feedPages * pageSize);
  await fillNaive(store, naivePages * pageSize);
  const agent = loopbackAgent();
  const feeder = await Feeder.add(store, agent, bench.sinkUrl, pageSize);
  const laps = await interleave(
    {
      ours: {
        prepare: () => feeder.putMarker(0),
        run: async () => void (await feeder.deliver(feeder.window(0, feedPages * pageSize))),
        units: feedPages,
      },
      raw: {
        run: () => rawFeed(store, agent, bench.sinkUrl, { pages: feedPages, pageSize }),
        units: feedPages,
      },
      naive: { run: () => naiveFeed(store, bench.sinkUrl, naivePages, pageSize), units: naivePages },
    },
    rounds,
  );
  await agent.close();
  const told = (of: 'wall' | 'cpu') =>
    `ours ${medianLap(laps.ours, of).toFixed(2)}, raw ${medianLap(laps.raw, of).toFixed(2)}, ` +
    `naive ${medianLap(laps.naive, of).toFixed(2)} ms a page`;
  const row = (what: string, value: number): Row => ({ id: 'F1', what, value, unit: 'x' });
  return [
    {
      ...row(`feed of ${feedPages} pages, wall: ours / raw`, ratio(laps.ours, laps.raw)),
      bound: { hard: false, atMost: 4, goal: 2.5 },
      detail: told('wall'),
    },
    {
      ...row('feed, wall: naive / ours', ratio(laps.naive, laps.ours)),
      bound: { hard: false, atLeast: 3, goal: 5 },
    },
    { ...row('feed, CPU: ours / raw', ratio(laps.ours, laps.raw, 'cpu')), detail: told('cpu') },
    row('feed, CPU: naive / ours', ratio(laps.naive, laps.ours, 'cpu')),
  ];
}
