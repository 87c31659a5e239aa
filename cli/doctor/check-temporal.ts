import type { Bell } from '../../bell/bell';
import type { TemporalInspector } from '../../bell/inspector';
import { skew } from './check-mongodb';
import { fail, type Finding, ok, warn } from './finding';

const RETENTION_DAYS = 90;
const WORKER_MAKES = 'start the worker: it makes what is missing within a minute';
// The server's next start is known, not its clock: it lies between now and one interval from now.
const SCHEDULE_SLACK_MS = 30_000;

/** @throws when Temporal is away */
export async function checkTemporal(
  bell: Bell,
  inspector: TemporalInspector,
  name: string,
): Promise<Finding[]> {
  await bell.ping();
  const answers = ok('temporal', 'answers');
  const namespace = await inspector.namespace();
  if (!namespace)
    return [
      answers,
      fail('namespace', `there is no namespace ${name}`, `${WORKER_MAKES}, or check TEMPORAL_NAMESPACE`),
    ];
  const { retentionDays } = namespace;
  const parts = [searchAttributes, schedule, pollers].map((check) => check(inspector));
  return [
    answers,
    retentionDays >= RETENTION_DAYS
      ? ok('namespace', `${name}, keeps closed workflows ${retentionDays} days`)
      : warn(
          'namespace',
          `${name} keeps closed workflows ${retentionDays} days`,
          `temporal operator namespace update -n ${name} --retention ${RETENTION_DAYS}d`,
        ),
    ...(await Promise.all(parts)).flat(),
  ];
}

async function searchAttributes(inspector: TemporalInspector): Promise<Finding[]> {
  const missing = await inspector.missingSearchAttributes();
  if (missing.length === 0) return [ok('search attributes', 'all there')];
  return [fail('search attributes', `missing: ${missing.join(', ')}`, WORKER_MAKES)];
}

async function schedule(inspector: TemporalInspector): Promise<Finding[]> {
  const found = await inspector.schedule();
  if (!found) return [fail('schedule', 'the schedule `reconcile` is missing', WORKER_MAKES)];
  if (found.paused)
    return [
      fail(
        'schedule',
        'the schedule `reconcile` is paused',
        'temporal schedule toggle --unpause -s reconcile',
      ),
    ];
  const aheadMs = clockAhead(found, Date.now());
  return [
    ok('schedule', `\`reconcile\` every ${found.every / 1_000} s`),
    ...skew('clock of temporal', aheadMs),
  ];
}

function clockAhead(
  { every, next }: { every: number; next: Date | undefined },
  now: number,
): number | undefined {
  if (!next || every === 0) return undefined;
  const [earliest, latest] = [next.getTime() - every, next.getTime()];
  if (now < earliest - SCHEDULE_SLACK_MS) return earliest - now;
  if (now > latest + SCHEDULE_SLACK_MS) return latest - now;
  return 0;
}

async function pollers(inspector: TemporalInspector): Promise<Finding[]> {
  return (await inspector.pollers()).map(({ queue, workers }) =>
    workers > 0
      ? ok('worker', `${workers} on the task queue ${queue}`)
      : fail(
          'worker',
          `nobody works on the task queue ${queue}: nothing is delivered`,
          'start the worker, or check that its GDX_TASK_QUEUE and TEMPORAL_NAMESPACE are these',
        ),
  );
}
