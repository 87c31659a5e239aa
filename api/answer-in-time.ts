import type { Middleware } from 'koa';
import { unavailable } from './http-error';
import type { RequestState } from './route';

/** A push that cannot get its turn within this answers 503 (contract 2); no other request waits longer. */
const HANDLE_MS = 25_000;
/** Finding one token takes milliseconds, or the election of a new primary. */
const LOOK_UP_MS = 10_000;

/** Who calls, or UNAVAILABLE when MongoDB does not say in time. */
export const lookUpInTime = <T>(lookUp: Promise<T>) => inTime(lookUp, LOOK_UP_MS);

/**
 * The handler, or UNAVAILABLE when it takes too long: a MongoDB that is frozen refuses nothing and answers nothing.
 * What was begun goes on behind the answer and may still be stored, which the caller's second try finds out.
 */
export function handleInTime<C extends { state: RequestState }>(
  handle: (ctx: C) => void | Promise<void>,
  withinMs = HANDLE_MS,
): (ctx: C) => Promise<void> {
  return async (ctx) => {
    const work = Promise.resolve(handle(ctx));
    ctx.state.ended = work.catch(() => undefined);
    await inTime(work, withinMs);
  };
}

/** As `handleInTime`, for all that comes behind this in a pipeline. */
export const answerInTime: Middleware<RequestState> = (_ctx, next) => inTime(next(), HANDLE_MS);

async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
  let clock: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    clock = setTimeout(() => reject(unavailable()), withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(clock);
  }
}
