import { BSON } from 'mongodb';
import type { WindowRead } from '../../store/window/window';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { watchCommands } from './count-commands';
import { Feeder } from './feeder';
import { type Contestant, interleave, medianLap, ratio } from './interleave';
import type { Row } from './row';
import { accountsOfTickets } from './shared-accounts';
import { pushSampleTickets } from './ticket-source';

const MOST_BYTES = 10_240;
const ACCOUNTS_WITH_TICKETS = 10;

/** The same pages to channels with more and more shared accounts: what a page costs must not grow with them. */
export async function measureS1(bench: Bench): Promise<Row[]> {
  const { shared, slowPages: pages, pageSize, rounds } = bench.sizes;
  const store = await bench.openStore({ monitored: true });
  await pushSampleTickets(store, pages * pageSize, ACCOUNTS_WITH_TICKETS);
  const owners = await accountsOfTickets(store);
  const agent = loopbackAgent();
  const contestants: Record<string, Contestant> = {};
  let largest: Feeder | undefined;
  for (const count of shared) {
    bench.note(`S1: sharing ${count} accounts`);
    const others = Array.from({ length: Math.max(0, count - owners.length) }, (_, index) => `42-s${index}`);
    largest = await Feeder.add(store, agent, bench.sinkUrl, { pageSize, shared: [...owners, ...others] });
    contestants[count] = largest.deliveringPages(pages);
  }
  const laps = await interleave(contestants, rounds);
  const [few, many] = [shared[0]!, shared.at(-1)!];
  const wall: Row = {
    id: 'S1',
    what: `wall a page: ${many} shared accounts / ${few}`,
    value: ratio(laps[many]!, laps[few]!),
    unit: 'x',
    bound: { hard: false, atMost: 1.3 },
    detail: shared.map((count) => `${count}: ${medianLap(laps[count]!).toFixed(1)} ms`).join(', '),
  };
  const whole = pages * pageSize;
  const requests = async (read: WindowRead) => {
    await largest!.putMarker(0);
    const sent = await watchCommands(store, () => largest!.deliver(largest!.window(0, whole, read)));
    return sent.map(({ command }) => BSON.calculateObjectSize(command));
  };
  const [ranges, positions] = [await requests('range'), await requests('positions')];
  return [
    wall,
    bytes(`requests to the database a page, ${many} shared accounts`, sum(ranges) / pages, ranges),
    bytes('largest request, where pages are read by single positions', Math.max(...positions), positions),
  ];
}

const sum = (sizes: number[]) => sizes.reduce((all, one) => all + one, 0);

function bytes(what: string, value: number, sizes: number[]): Row {
  const detail = `${sizes.length} requests, ${sum(sizes)} bytes in all`;
  return {
    id: 'S1',
    what,
    value: Math.ceil(value),
    unit: 'bytes',
    bound: { hard: true, atMost: MOST_BYTES },
    detail,
  };
}
