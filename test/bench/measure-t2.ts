import { HISTORY_NAMES } from '../replay/histories';
import { type HistoryJson, readHistory, replay } from '../replay/replay';
import type { Bench } from './bench';
import { interleave, medianLap, ratio } from './interleave';
import type { Row } from './row';

// A single one is over too soon to be timed alone.
const COPIES = 50;
const SHORT = 'channelFeed.idle';
const LONG = 'channelFeed.continued';

/** Replays of the recorded histories: all of them fit, and an event costs the same however long its history is. */
export async function measureT2(bench: Bench): Promise<Row[]> {
  const histories = HISTORY_NAMES.map((name) => ({ workflowId: name, history: readHistory(name) }));
  const results = await replay(histories);
  const broken = [...results].flatMap(([name, error]) => (error ? [name] : []));
  const continued = histories.filter(
    ({ history }) => history.events.at(-1)!.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
  );
  const laps = await interleave({ short: replaying(SHORT), long: replaying(LONG) }, bench.sizes.rounds);
  const us = (of: keyof typeof laps) => (medianLap(laps[of]) * 1_000).toFixed(0);
  const lengths = { short: eventsOf(readHistory(SHORT)), long: eventsOf(readHistory(LONG)) };
  return [
    {
      id: 'T2',
      what: `recorded histories that do not replay, of ${results.size}`,
      value: broken.length,
      unit: 'count',
      bound: { hard: true, exactly: 0 },
      detail: broken.join(', '),
    },
    {
      id: 'T2',
      what: 'events of a channel that continued as new',
      value: Math.max(...continued.map(({ history }) => eventsOf(history))),
      unit: 'count',
      bound: { hard: true, atMost: 200 },
    },
    {
      id: 'T2',
      what: `replay of an event: history of ${lengths.long} / of ${lengths.short}`,
      value: ratio(laps.long, laps.short),
      unit: 'x',
      bound: { hard: false, atMost: 1.3 },
      detail: `${us('long')}, ${us('short')} us`,
    },
  ];
}

const eventsOf = ({ events }: HistoryJson) => events.length;

function replaying(name: typeof SHORT | typeof LONG) {
  const history = readHistory(name);
  const copies = Array.from({ length: COPIES }, (_, copy) => ({ workflowId: `${name}/${copy}`, history }));
  return { run: async () => void (await replay(copies)), units: COPIES * eventsOf(history) };
}
