import type { How } from './program';

/** A local process of the system, which tests can kill and restart. */
export interface Part {
  readonly name: string;
  readonly how: How | 'own';
  readonly pid: number | undefined;
  /** Starts it on the same data and port; resolves when it answers. */
  start(): Promise<void>;
  /** Stops it gracefully; kills it when that takes too long. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Resolves with the reason when the process has exited. */
  gone(): Promise<string>;
}

/** A part that runs elsewhere; never started or stopped by us. */
export function givenPart(name: string): Part {
  return {
    name,
    how: 'given',
    pid: undefined,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    kill: () => Promise.reject(new Error(`${name} was given by address and is not ours to kill`)),
    gone: () => new Promise(() => undefined),
  };
}
