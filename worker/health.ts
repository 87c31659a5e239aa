import { setTimeout as after } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { Bell } from '../bell/bell';
import type { Answer } from '../metrics/serve-metrics';
import { pingStore, type Store } from '../store/connect';

// Health checks give up after a few seconds themselves.
const PATIENCE_MS = 2_000;

export interface Health {
  store: Store;
  bell: Bell;
  /** None until they are made. */
  workers: Worker[];
  draining: () => boolean;
}

/** `GET /livez` and `GET /readyz` of the worker: ready when it polls, and what its deeds need is there. */
export function healthPaths(health: Health): Record<string, Answer> {
  return {
    '/livez': async () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      const { store, bell } = health;
      const [mongodb, temporal] = await Promise.all([check(pingStore(store)), check(bell.ping())]);
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
  return (await Promise.race([up, after(PATIENCE_MS, false, { ref: false })])) ? 'up' : 'down';
}

const json = (status: number, body: object) => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
