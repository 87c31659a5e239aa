import type { Middleware } from 'koa';
import { WRITE_TIMEOUT_MS } from '../../store/transact';
import { unavailable } from './http-error';
import type { RequestState } from './route';

/**
 * A push that is not stored within this time is answered 503, and does not begin later (docs/contract.md
 * E11). No request waits longer.
 */
const HANDLE_MS = WRITE_TIMEOUT_MS;
/** Looking up a token takes milliseconds, or as long as MongoDB needs to elect a new primary. */
const LOOK_UP_MS = 10_000;

/** The result of a lookup, or what was known without one. @throws HttpError UNAVAILABLE when MongoDB does not answer in time */
export const lookUpInTime = <T>(lookUp: T | Promise<T>): T | Promise<T> =>
  lookUp instanceof Promise ? inTime(lookUp, LOOK_UP_MS) : lookUp;

/**
 * Answers UNAVAILABLE when the handler takes too long, since a frozen MongoDB neither answers nor fails. The handler
 * keeps running, and a push whose transaction has begun may still be stored; the caller's retry is then recognised as a repeat.
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

/** Like `handleInTime`, for everything later in the pipeline. */
export const answerInTime: Middleware<RequestState> = (_ctx, next) => inTime(next(), HANDLE_MS);

/** @throws HttpError UNAVAILABLE when the work takes longer */
export function inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const clock = setTimeout(() => reject(unavailable()), withinMs);
    const ends = work.finally(() => clearTimeout(clock));
    ends.then(resolve, reject);
  });
}
