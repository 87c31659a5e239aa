import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { checkout } from '../../deploy/local/checkout';

/** A customer who answers at once, in a process of its own. */
export async function startSink(): Promise<{ url: string; stop: () => void }> {
  const child = fork(path.join(checkout, 'dist/test/bench/sink-process.js'));
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}
