import type { ChannelClient } from '../../temporal/channel-client';
import type { TemporalInspector } from '../../temporal/inspector';
import {
  createSearchAttributes,
  LEAST_RETENTION_DAYS,
  updateRetention,
} from '../../temporal/operator-commands';
import { skew } from './check-mongodb';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';

const WORKER_MAKES = 'start the worker: it makes what is missing within a minute';
// The server's clock is unknown, but the schedule's next start must lie within one interval.
const SCHEDULE_SLACK_MS = 30_000;

/** @throws when Temporal is unavailable */
export async function checkTemporal(
  temporal: ChannelClient,
  inspector: TemporalInspector,
  name: string,
): Promise<DoctorFinding[]> {
  await temporal.ping();
  const answers = ok('temporal', 'answers');
  const namespace = await inspector.namespace();
  if (!namespace)
    return [
      answers,
      fail('namespace', `there is no namespace ${name}`, `${WORKER_MAKES}, or check TEMPORAL_NAMESPACE`),
    ];
  const { retentionDays } = namespace;
  const parts = [searchAttributes(inspector, name), schedule(inspector), pollers(inspector)];
  return [
    answers,
    retentionDays >= LEAST_RETENTION_DAYS
      ? ok('namespace', `${name}, keeps closed workflows ${retentionDays} days`)
      : warn('namespace', `${name} keeps closed workflows ${retentionDays} days`, updateRetention(name)),
    ...(await Promise.all(parts)).flat(),
  ];
}

async function searchAttributes(inspector: TemporalInspector, namespace: string): Promise<DoctorFinding[]> {
  const missing = await inspector.missingSearchAttributes();
  if (missing.length === 0) return [ok('search attributes', 'all there')];
  const command = createSearchAttributes(namespace, missing);
  const fix = `${WORKER_MAKES}; where it may not: ${command}`;
  return [fail('search attributes', `missing: ${missing.join(', ')}`, fix)];
}

async function schedule(inspector: TemporalInspector): Promise<DoctorFinding[]> {
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

function clockAhead({ every, next }: { every: number; next: Date | undefined }, now: number) {
  if (!next || every === 0) return undefined;
  const [earliest, latest] = [next.getTime() - every, next.getTime()];
  if (now < earliest - SCHEDULE_SLACK_MS) return earliest - now;
  if (now > latest + SCHEDULE_SLACK_MS) return latest - now;
  return 0;
}

async function pollers(inspector: TemporalInspector): Promise<DoctorFinding[]> {
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
