import type { OpenContext } from '../route';

/** `GET /livez`: the process answers. Says nothing of its parts: starting it again would not bring them back. */
export function livez(ctx: OpenContext): void {
  ctx.state.logged['quiet'] = true;
  ctx.body = { status: 'alive' };
}
