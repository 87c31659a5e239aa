import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { closeAtEnd } from '../setup/close-at-end';
import { checkout } from '../../tools/local/checkout';

/** A part of the bench in a process of its own. @returns what it tells first, once it is ready */
export async function startBenchProcess<T>(
  name: string,
  ...args: string[]
): Promise<{ told: T; stop: () => Promise<void> }> {
  const child = fork(path.join(checkout, `dist/test/bench/${name}.js`), args);
  const [told] = (await once(child, 'message')) as [T];
  return { told, stop: closeAtEnd(() => child.disconnect()) };
}
