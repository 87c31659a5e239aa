import { createPlanRun } from '../../activities/plan-run';
import { addTestChannel } from '../setup/add-test-channel';
import { asActivity } from '../setup/as-activity';
import { type Channel, listChannels } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { waitUntil } from '../../tools/local/wait-until';
import { MOST_CACHED } from '../../worker/create-workers';
import { channelWorkflowId } from '../../workflows/messages';
import type { Bench } from './bench';
import { type SentCommand, watchCommands, WRITES } from './count-commands';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { memoryOf } from './watch-memory';

const LONG_MS = 300_000;
const AT_ONCE = 50;
const LEAST_RUNS = 3;
const MORE_RUNS = 4;
const LOOKED_AT = 20;
const MOST_MB = 400;
const FLAT_MB = 50;
const DAY_MS = 24 * 3_600_000; // few are due by themselves meanwhile

interface Idle {
  channels: number;
  /** Commands of one idle run. */
  commands: SentCommand[];
  /**
   * Events that one idle run adds to a channel's history, at least: two more where a busy worker lets its own queue wait
   * for over two seconds.
   */
  events: number;
  MB: number;
}

/** More and more channels that have nothing to send, on one worker: each costs the same, and memory ends at the cache. */
export async function measureT3(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore({ monitored: true });
  const stage = await ResetStage.open(bench, store, { channels: 0, pageSize: 1_000, types: ['tickets'] });
  const found: Idle[] = [];
  const further: number[] = [];
  for (const channels of bench.sizes.idle) {
    bench.note(`T3: ${channels} idle channels`);
    found.push(await idle(bench, store, stage, channels));
  }
  while (further.length < MORE_RUNS) {
    await runAll(store, stage);
    further.push(memoryOf(stage.worker.pid));
  }
  const [one, most] = [found[0]!, found.at(-1)!];
  const cached = found.findLast(({ channels }) => channels <= MOST_CACHED)!;
  const sizes = `one of ${most.channels} channels - one of ${one.channels}`;
  return [
    count(
      `commands of an idle run: ${sizes}`,
      most.commands.length - one.commands.length,
      0,
      shown(one.commands),
    ),
    count('writes of an idle run', most.commands.filter(({ name }) => WRITES.includes(name)).length, 1),
    count(`events of an idle run: ${sizes}`, most.events - one.events, 0, `${one.events} each`),
    memory(
      `RSS of the worker: ${most.channels} idle channels after ${MORE_RUNS} more runs of each`,
      further.at(-1)!,
      MOST_MB,
      further.map(shownMB).join(', then '),
    ),
    memory(
      `RSS of the worker: ${most.channels} idle channels - ${cached.channels}`,
      most.MB - cached.MB,
      FLAT_MB,
      found.map(({ channels, MB }) => `${channels}: ${shownMB(MB)}`).join(', '),
    ),
    memory(
      `the same after ${MORE_RUNS} more runs of each - after one`,
      further.at(-1)! - further[0]!,
      FLAT_MB,
    ),
  ];
}

async function idle(bench: Bench, store: Store, stage: ResetStage, count: number): Promise<Idle> {
  while (stage.channels.length < count) {
    const slug = `idle-${stage.channels.length}`;
    stage.channels.push((await addTestChannel(store, slug, bench.sinkUrl, { cadence_ms: DAY_MS })).channel);
  }
  await runAll(store, stage);
  const added: number[] = [];
  while (added.length < LEAST_RUNS) added.push(...(await runAll(store, stage)));
  const planRun = createPlanRun({ store });
  const { _id: slug } = stage.channels[0]!;
  const commands = await watchCommands(store, () =>
    asActivity(channelWorkflowId(slug), planRun, { slug, trigger: 'schedule' }),
  );
  return { channels: count, commands, events: Math.min(...added), MB: memoryOf(stage.worker.pid) };
}

/** Has every channel run once, and waits until they wait again. @returns the events that this adds to some of them */
async function runAll(store: Store, stage: ResetStage): Promise<number[]> {
  const every = Math.ceil(stage.channels.length / LOOKED_AT);
  const some = stage.channels.filter((_, index) => index % every === 0);
  const before = await lengthsOf(stage, some);
  const since = new Date();
  await inTurns(stage.channels, (channel) => stage.deliverNow(channel));
  await waitUntil(async () => {
    const late = (await listChannels(store)).filter(({ fresh_at: at }) => !at || at < since);
    if (late.length > 0) throw new Error(`${late.length} channels have not run yet`);
  }, LONG_MS);
  let after: number[] = [];
  await waitUntil(async () => {
    const last = after;
    after = await lengthsOf(stage, some);
    if (after.join() !== last.join()) throw new Error('a channel is still running');
  }, LONG_MS);
  // A history that has continued as new begins again.
  return after.map((length, index) => length - before[index]!).filter((events) => events > 0);
}

/** Of the channels' histories; 0 of one that has none yet. */
const lengthsOf = ({ worker }: ResetStage, channels: Channel[]): Promise<number[]> =>
  inTurns(channels, async ({ _id }) => {
    const handle = worker.client.workflow.getHandle(channelWorkflowId(_id));
    return handle.describe().then(
      ({ historyLength }) => historyLength,
      () => 0,
    );
  });

async function inTurns<T>(channels: Channel[], work: (channel: Channel) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let from = 0; from < channels.length; from += AT_ONCE)
    done.push(...(await Promise.all(channels.slice(from, from + AT_ONCE).map(work))));
  return done;
}

const shown = (commands: SentCommand[]) =>
  commands.map(({ name, collection }) => `${name} ${collection}`).join(', ');

const shownMB = (MB: number) => `${MB.toFixed(0)} MB`;

function memory(what: string, value: number, atMost: number, detail = ''): Row {
  return { id: 'T3', what, value, unit: 'MB', bound: { hard: false, atMost }, detail };
}

function count(what: string, value: number, atMost: number, detail = ''): Row {
  return { id: 'T3', what, value, unit: 'count', bound: { hard: true, atMost }, detail };
}
