import type { OpenContext } from '../route';

/** `GET /livez`: the process responds. Dependencies are not checked, since a restart would not repair them. */
export function livez(ctx: OpenContext): void {
  ctx.state.logged['quiet'] = true;
  ctx.body = { status: 'alive' };
}
