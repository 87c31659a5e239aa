import { pingStore } from '../../store/connect';
import { inTime } from './answer-in-time';
import type { Deps, OpenContext } from './route';

export const PROBES = ['/livez', '/readyz'];

/** `GET /livez`: the process responds. Dependencies are not checked, since a restart would not repair them. */
export function livez(ctx: OpenContext): void {
  ctx.state.logged['quiet'] = true;
  ctx.body = { status: 'alive' };
}

// Probes give up after a few seconds themselves.
const TIMEOUT_MS = 2_000;

/** `GET /readyz`: requires MongoDB, but not Temporal (docs/contract.md A11). */
export async function readyz(ctx: OpenContext, deps: Deps): Promise<void> {
  const { serving } = deps;
  const { mongodb, temporal } = await checkParts(deps);
  const ready = mongodb.status === 'up' && serving.phase === 'serving';
  ctx.state.logged['quiet'] = ready || serving.phase === 'starting';
  ctx.status = ready ? 200 : 503;
  ctx.body = { status: ready ? 'ready' : 'not_ready', phase: serving.phase, parts: { mongodb, temporal } };
}

const underWay = new WeakMap<Deps, ReturnType<typeof askParts>>();

/** Concurrent requests share one check, since anyone may call this as often as they like. */
function checkParts(deps: Deps) {
  const asked = underWay.get(deps) ?? askParts(deps).finally(() => underWay.delete(deps));
  underWay.set(deps, asked);
  return asked;
}

async function askParts(deps: Deps) {
  const [mongodb, temporal] = await Promise.all([check(pingStore(deps.store)), check(deps.temporal.ping())]);
  return { mongodb, temporal };
}

async function check(answer: Promise<void>) {
  const started = performance.now();
  const status = await inTime(answer, TIMEOUT_MS).then(
    () => 'up',
    () => 'down',
  );
  return { status, milliseconds: Math.round(performance.now() - started) };
}
