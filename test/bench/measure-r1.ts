import type { Bench } from './bench';
import { type SentCommand, watchCommands, WRITES } from './count-commands';
import { median } from './interleave';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

interface Measured {
  records: number;
  answered: number;
  firstPage: number;
  /** Those of the reset itself; counting what is sent again, which follows, is bounded by time. */
  commands: string[];
  /** Reads of records that find where the marker has to go. */
  search: number;
  rewritten: number;
}

/** A reset of more and more records: it writes as much, and its first page leaves as soon. */
export async function measureR1(bench: Bench): Promise<Row[]> {
  const measured: Measured[] = [];
  for (const records of [bench.sizes.resets[0]!, bench.sizes.resets.at(-1)!]) {
    bench.note(`R1: storing ${records} tickets`);
    measured.push(await measureReset(bench, records));
  }
  const [small, large] = measured as [Measured, Measured];
  return [
    {
      id: 'R1',
      what: `commands of a reset of ${large.records} beyond one of ${small.records}, its search aside`,
      value: large.commands.length - small.commands.length,
      unit: 'count',
      bound: { hard: true, exactly: 0 },
      detail: large.commands.join(', '),
    },
    {
      id: 'R1',
      what: `reads of its search among ${large.records} records: of half as many, it is one less`,
      value: large.search,
      unit: 'count',
      bound: { hard: true, atMost: Math.ceil(Math.log2(large.records)) + 1 },
    },
    {
      id: 'R1',
      what: 'records that a reset writes',
      value: large.rewritten,
      unit: 'count',
      bound: { hard: true, exactly: 0 },
    },
    {
      id: 'R1',
      what: `answer to a reset of ${large.records}`,
      value: large.answered,
      unit: 'ms',
      bound: { hard: false, atMost: 2_500 },
      detail: `${Math.round(small.answered)} ms of ${small.records}`,
    },
    {
      id: 'R1',
      what: `first page at the customer: reset of ${large.records} / of ${small.records}`,
      value: large.firstPage / small.firstPage,
      unit: 'x',
      bound: { hard: false, atMost: 2 },
      detail: [large, small].map(({ firstPage }) => `${Math.round(firstPage)} ms`).join(', '),
    },
  ];
}

async function measureReset(bench: Bench, records: number): Promise<Measured> {
  const store = await bench.openStore({ monitored: true });
  await pushSampleTickets(store, records);
  const stage = await ResetStage.open(bench, store, { channels: 1, pageSize: 1_000, types: ['tickets'] });
  const [channel] = stage.channels;
  const times: { answered: number; firstPage: number }[] = [];
  let sent: SentCommand[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    await stage.drain();
    sent = await watchCommands(
      store,
      async () => void times.push(await stage.timeReset(channel!, 'tickets')),
    );
  }
  const kept = times.slice(1);
  const own = sent.filter(({ collection }) => collection !== 'tickets');
  const moved = sent.findIndex(({ name, collection }) => name === 'update' && collection === 'markers');
  return {
    records,
    answered: median(kept.map(({ answered }) => answered)),
    firstPage: median(kept.map(({ firstPage }) => firstPage)),
    commands: own.map(({ name, collection }) => `${name} ${collection}`),
    search: sent.slice(0, moved).filter(({ collection }) => collection === 'tickets').length,
    rewritten: sent.filter(isWriteOfRecords).length,
  };
}

const isWriteOfRecords = ({ name, collection }: SentCommand) =>
  collection === 'tickets' && WRITES.includes(name);
