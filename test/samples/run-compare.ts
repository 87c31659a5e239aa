import { readFileSync, writeFileSync } from 'node:fs';
import { runNode } from '../setup/processes';

export interface Difference {
  what: string;
  id: string;
}

/** The program of the customer's guide, as its own process. */
export async function runCompare(
  env: { GDX_TOKEN: string; GDX_URL: string; HELD: string },
  ...args: string[]
): Promise<{ code: number; output: string; differences: Difference[] }> {
  const { code, out, err } = await runNode(['docs/samples/compare.mjs', ...args], { ...process.env, ...env });
  const found = [...out.matchAll(/^(altered|missing|extra) +(.+?) {2}here /gm)];
  return { code, output: out + err, differences: found.map(([, what, id]) => ({ what: what!, id: id! })) };
}

type Held = Record<string, Record<string, { updated_at: string }>>;

/** Five records altered, five missing and five extra, in a file that receiver.mjs keeps. @returns them, by id */
export function plantDifferences(file: string, type: string): Difference[] {
  const held = JSON.parse(readFileSync(file, 'utf8')) as { records: Held };
  const ofType = held.records[type]!;
  const ids = Object.keys(ofType);
  const some = (from: number) =>
    Array.from({ length: 5 }, (_, index) => ids[(from + index * 101) % ids.length]!);
  const [altered, missing] = [some(7), some(11)];
  const times = ['2001-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z'];
  altered.forEach((id, index) => (ofType[id] = { ...ofType[id], updated_at: times[index % 2]! }));
  for (const id of missing) Reflect.deleteProperty(ofType, id);
  const extra = altered.map((id, index) => `${id}-never-${index}`);
  extra.forEach((id, index) => (ofType[id] = { updated_at: times[index % 2]! }));
  writeFileSync(file, JSON.stringify(held));
  return byId([
    ...altered.map((id) => ({ what: 'altered', id })),
    ...missing.map((id) => ({ what: 'missing', id })),
    ...extra.map((id) => ({ what: 'extra', id })),
  ]);
}

export const byId = (list: Difference[]) => [...list].sort((one, other) => (one.id < other.id ? -1 : 1));
