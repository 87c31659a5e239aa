import type { Middleware } from 'koa';
import { randomUUID } from 'node:crypto';
import type { RequestState } from './route';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** Tried once for each run of blanks: a header may have 16,000 of them. */
const BETWEEN = /(?<![ \t])(?:[ \t]*,[ \t]+|[ \t]+,)/;

/** The caller's `X-Request-ID` if it is valid, else a new one; always echoed (docs/contract.md A6). */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.get('X-Request-ID'));
  ctx.set('X-Request-ID', ctx.state.requestId);
  return next();
};

/** @param given the header, if there is one; a proxy may repeat it */
export function requestIdOf(given: string | string[] = ''): string {
  if (typeof given === 'string' && VISIBLE_ASCII.test(given)) return given; // no blank, so one id
  const [id = '', ...others] = new Set(String(given).split(BETWEEN));
  return others.length === 0 && VISIBLE_ASCII.test(id) ? id : randomUUID();
}
