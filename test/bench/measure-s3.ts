import { createPlanRun } from '../../activities/plan-run';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { createGaugeReader } from '../../telemetry/read-gauges';
import { addTestChannel } from '../setup/add-test-channel';
import { asActivity } from '../setup/as-activity';
import type { Bench } from './bench';
import { type SentCommand, watchCommands } from './count-commands';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

const TICKETS = 2_000;

interface Counted {
  channels: number;
  plan: number;
  scrape: SentCommand[];
  scrapeMs: number;
}

/** Exact: what a plan and a scrape ask of the database when a few channels have a backlog, and when many have. */
export async function measureS3(bench: Bench): Promise<Row[]> {
  const counted: Counted[] = [];
  for (const channels of bench.sizes.backlogs) {
    bench.note(`S3: planning ${channels} channels`);
    counted.push(await countBacklogs(bench, channels));
  }
  const [few, many] = [counted[0]!, counted.at(-1)!];
  const reads = many.scrape.filter(({ collection }) =>
    (ENTITY_TYPES as readonly string[]).includes(collection),
  );
  // A longer answer comes in more batches.
  const asked = ({ scrape }: Counted) => scrape.filter(({ name }) => name !== 'getMore').length;
  return [
    exactly(
      `commands of a plan: one of ${many.channels} channels - one of ${few.channels}`,
      many.plan - few.plan,
    ),
    { ...exactly('reads of records in a scrape', reads.length), detail: `${many.scrapeMs.toFixed(0)} ms` },
    exactly(
      `commands of a scrape: ${many.channels} channels - ${few.channels}, further batches aside`,
      asked(many) - asked(few),
    ),
  ];
}

async function countBacklogs(bench: Bench, channels: number): Promise<Counted> {
  const store = await bench.openStore({ monitored: true });
  await pushSampleTickets(store, TICKETS);
  const planRun = createPlanRun({ store });
  const slugs = Array.from({ length: channels }, (_, index) => `bench-${index}`);
  for (const slug of slugs) await addTestChannel(store, slug, bench.sinkUrl);
  const planAll = async () => {
    for (const slug of slugs) await asActivity(`channel/${slug}`, planRun, { slug, trigger: 'schedule' });
  };
  await planAll(); // makes the markers
  const plans = await watchCommands(store, planAll);
  const began = performance.now();
  const scrape = await watchCommands(store, createGaugeReader(store));
  const scrapeMs = performance.now() - began;
  return { channels, plan: plans.length / channels, scrape, scrapeMs };
}

function exactly(what: string, value: number): Row {
  return { id: 'S3', what, value, unit: 'count', bound: { hard: true, exactly: 0 } };
}
