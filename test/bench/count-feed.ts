import type { Document } from 'mongodb';
import type { Agent } from 'undici';
import type { Store } from '../../store/store';
import { countOf, type SentCommand, watchCommands } from './count-commands';
import { Feeder } from './feeder';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

// What an activity sends besides its pages: read of the ceiling, epoch, opening the report (twice), closing it, what is
// set aside, and two reads of the channel: whether its pages are collected, and whose records its first page may hold.
const COMMANDS_AN_ACTIVITY = 8;

/**
 * F4: every command that a run of `pages` pages sends to the database.
 * @param store monitored, and empty
 */
export async function countFeed(
  store: Store,
  agent: Agent,
  sinkUrl: string,
  { pages, pageSize }: { pages: number; pageSize: number },
): Promise<Row[]> {
  const feeder = await Feeder.add(store, agent, sinkUrl, { pageSize });
  await pushSampleTickets(store, pages * pageSize);
  let activities = 0;
  const planning = await watchCommands(store, () => feeder.plan());
  const window = feeder.window(0, pages * pageSize);
  const sent = await watchCommands(store, async () => (activities = await feeder.deliver(window)));
  const reads = sent.filter(({ name, collection }) => name === 'find' && collection === 'tickets');
  const beside = sent.length - 4 * pages;
  const proofs = sent.filter(({ command }) =>
    JSON.stringify(command['readConcern'])?.includes('linearizable'),
  );
  return [
    exactly(`pages read (find) in ${pages} pages`, reads.length, pages),
    exactly('further reads of a page (getMore)', countOf(sent, 'getMore', 'tickets'), 0),
    exactly(
      'reads of the channel, two more an activity',
      countOf(sent, 'find', 'channels'),
      pages + 2 * activities,
    ),
    exactly('proofs that the primary is one', proofs.length, pages),
    exactly('moves of the marker', countOf(sent, 'update', 'markers'), pages),
    exactly(
      `epochs taken in ${activities} activities`,
      countOf(sent, 'findAndModify', 'markers'),
      activities,
    ),
    {
      ...exactly('other commands an activity', beside / activities, 0),
      bound: { hard: true, atMost: COMMANDS_AN_ACTIVITY },
    },
    exactly('counts a run and type', countOf(planning, 'aggregate', 'tickets'), 1),
    await documentsRead(store, reads.at(-1)!, pageSize),
  ];
}

function exactly(what: string, value: number, expected: number): Row {
  return { id: 'F4', what, value, unit: 'count', bound: { hard: true, exactly: expected } };
}

// The command without what belongs to its connection and its session.
const EXPLAINED = ['find', 'filter', 'projection', 'hint', 'sort', 'limit'];

/**
 * The server's own account of how it finds a page, for the very command that the feed sent last: of the others some
 * stand-ins count the whole range, as their `explain` knows no limit.
 */
async function documentsRead({ db }: Store, { command }: SentCommand, pageSize: number): Promise<Row> {
  const row: Row = { id: 'F4', what: 'documents read a record sent', value: NaN, unit: 'count' };
  const explain = Object.fromEntries(
    EXPLAINED.flatMap((key) => (key in command ? [[key, command[key]]] : [])),
  );
  const told: Document = await db
    .command({ explain, verbosity: 'executionStats' })
    .catch((error: Error) => ({ refused: error.message }));
  const examined: unknown = told['executionStats']?.totalDocsExamined;
  if (typeof examined !== 'number') return { ...row, detail: 'the server does not say' };
  return { ...row, value: examined / pageSize, bound: { hard: true, atMost: 1.01 } };
}
