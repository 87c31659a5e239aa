import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { Feeder } from './feeder';
import { interleave, medianLap, ratio } from './interleave';
import { rawFeed } from './raw-feed';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

const ANSWER_MS = 50;

/** The feed to a customer who takes 50 ms a page, against the raw loop: what the service adds is hardly felt. */
export async function measureF2(bench: Bench): Promise<Row[]> {
  const { slowPages: pages, pageSize, rounds } = bench.sizes;
  const store = await bench.openStore();
  await pushSampleTickets(store, pages * pageSize);
  const agent = loopbackAgent();
  const url = `${bench.sinkUrl}/after/${ANSWER_MS}`;
  const feeder = await Feeder.add(store, agent, url, { pageSize });
  const raw = { run: () => rawFeed(store, agent, url, { pages, pageSize }), units: pages };
  const laps = await interleave({ ours: feeder.deliveringPages(pages), raw }, rounds);
  return [
    {
      id: 'F2',
      what: `feed to a customer who takes ${ANSWER_MS} ms, wall: ours / raw`,
      value: ratio(laps.ours, laps.raw),
      unit: 'x',
      bound: { hard: false, atMost: 1.15 },
      detail: `ours ${medianLap(laps.ours).toFixed(1)}, raw ${medianLap(laps.raw).toFixed(1)} ms a page`,
    },
  ];
}
