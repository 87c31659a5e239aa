import { setTimeout as after } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { ChannelClient } from '../temporal/channel-client';
import type { PathHandler } from '../telemetry/serve-metrics';
import { pingStore } from '../store/connect';
import type { Store } from '../store/store';

// Callers of health checks give up after a few seconds.
const TIMEOUT_MS = 2_000;

export interface WorkerHealth {
  store: Store;
  temporal: ChannelClient;
  /** Empty until the workers are created. */
  workers: Worker[];
  draining: () => boolean;
}

/** `GET /livez` and `GET /readyz` of the worker. It is ready when it polls and its dependencies answer. */
export function healthPaths(health: WorkerHealth): Record<string, PathHandler> {
  return {
    '/livez': async () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      const [mongodb, temporal] = await Promise.all([
        check(pingStore(health.store)),
        check(health.temporal.ping()),
      ]);
      const parts = { mongodb, temporal, pollers: pollersOf(health.workers) };
      const ready = !health.draining() && Object.values(parts).every((state) => state === 'up');
      return json(ready ? 200 : 503, {
        status: ready ? 'ready' : 'not_ready',
        draining: health.draining(),
        parts,
      });
    },
  };
}

function pollersOf(workers: Worker[]): 'up' | 'down' {
  return workers.length > 0 && workers.every(polls) ? 'up' : 'down';
}

function polls(worker: Worker): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  return runState === 'RUNNING' && activityPollerState === 'POLLING' && workflowPollerState !== 'FAILED';
}

async function check(answer: Promise<void>): Promise<'up' | 'down'> {
  const up = answer.then(
    () => true,
    () => false,
  );
  return (await Promise.race([up, after(TIMEOUT_MS, false, { ref: false })])) ? 'up' : 'down';
}

const json = (status: number, body: object) => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
