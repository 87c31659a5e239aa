import type { Bench } from './bench';
import { countPushOperations } from './count-push-operations';
import { interleave, medianLap, ratio } from './interleave';
import { pushBody, storeBody } from './push-body';
import type { Row } from './row';
import { TicketSource } from './ticket-source';

/** The body of a push sent once more under a new request id, against its first time. */
export async function measureP2(bench: Bench): Promise<Row[]> {
  const { pushes, rounds } = bench.sizes;
  const records = pushes.at(-1)!;
  const counted = await countPushOperations(await bench.openStore({ monitored: true }), 100);
  bench.note(`P2: pushing ${records} records twice`);
  const store = await bench.openStore();
  const source = new TicketSource(rounds * records);
  let body: unknown;
  const push = { run: async () => void (await storeBody(store, body)), units: records };
  const prepare = async () => {
    body = pushBody(source.take(records));
  };
  const laps = await interleave({ first: { ...push, prepare }, again: push }, rounds);
  const us = (name: keyof typeof laps) => (medianLap(laps[name]) * 1_000).toFixed(0);
  return [
    ...counted.filter(({ id }) => id === 'P2'),
    {
      id: 'P2',
      what: `push of ${records}, wall: again / first`,
      value: ratio(laps.again, laps.first),
      unit: 'x',
      bound: { hard: false, atMost: 0.6 },
      detail: `first ${us('first')}, again ${us('again')} us a record`,
    },
  ];
}
