import type { How } from './program';

/** One process of the system on this machine, with enough handles to break it in tests and mend it again. */
export interface Part {
  readonly name: string;
  readonly how: How | 'own';
  readonly pid: number | undefined;
  /** Starts it on the same data and the same port; resolves when it answers. */
  start(): Promise<void>;
  /** Lets it finish; kills it when it takes too long. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Resolves with the reason when the running process is gone. */
  gone(): Promise<string>;
}

/** A part somebody else runs: found by its address, never started or stopped by us. */
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
