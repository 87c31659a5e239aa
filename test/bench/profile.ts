import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import type { Row } from './row';

const SAMPLE_US = 200;

/** The share of the CPU by whose code ran, the largest first. */
export type Shares = [whose: string, share: number][];

/** Runs something once under V8's profiler. Its own cost is in no measured lap. */
export async function profile(run: () => Promise<void>): Promise<Shares> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  await run();
  const { profile: taken } = await session.post('Profiler.stop');
  session.disconnect();
  const spent = new Map<string, number>();
  const whose = new Map(taken.nodes.map(({ id, callFrame }) => [id, whoseIs(callFrame)]));
  for (const id of taken.samples ?? []) {
    const name = whose.get(id) ?? 'unknown';
    if (name !== '(idle)') spent.set(name, (spent.get(name) ?? 0) + 1);
  }
  const all = [...spent.values()].reduce((sum, one) => sum + one, 0);
  return [...spent]
    .map(([name, samples]): Shares[number] => [name, samples / all])
    .sort(([, one], [, other]) => other - one);
}

const DRIVER = ['mongodb', 'bson'];
const SHOWN = 12;

/** Whose code the CPU goes into: the driver's share, and beside it the largest ones. */
export function sharesRow(id: string, what: string, shares: Shares): Row {
  const percent = (share: number) => Math.round(share * 100);
  return {
    id,
    what,
    value: percent(shares.reduce((sum, [whose, share]) => sum + (DRIVER.includes(whose) ? share : 0), 0)),
    unit: '%',
    detail: shares
      .slice(0, SHOWN)
      .map(([whose, share]) => `${whose} ${percent(share)}`)
      .join(', '),
  };
}

/** A package of npm, a file of ours, or what V8 and Node do themselves. */
function whoseIs({ url, functionName }: { url: string; functionName: string }): string {
  const packages = url.split('/node_modules/');
  if (packages.length > 1) return /^(@[^/]+\/)?[^/]+/.exec(packages.at(-1)!)![0];
  if (url.startsWith('file:'))
    return path.relative(path.join(checkout, 'dist'), url.slice('file://'.length)).replace(/\.js$/, '');
  return url.startsWith('node:') ? 'Node' : functionName || 'V8';
}
