import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

// A reader follows one record from file to file, downwards: no stop may import one before it, nor run it by whatever way.

const page = readFileSync(path.join(checkout, 'docs/architecture.md'), 'utf8');
const [, way = ''] = /^## One record's way through\n([\s\S]*?)^## /m.exec(page) ?? [];
const stops = [...way.matchAll(/^\d\. \[([^\]]+)\]/gm)].map(([, file]) => file!);

const IMPORT = /^(?:import|export) (type )?[^;]*?from '(\.[^']+)';/gm;

/** The files of the house that a file imports. Types are all that a workflow knows of an activity. */
function importsOf(file: string, { types }: { types: boolean }): string[] {
  const text = readFileSync(path.join(checkout, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, isType, target]) => {
    const full = path.join(path.dirname(file), target!);
    if (isType && !types) return [];
    return ['.ts', '.tsx'].map((end) => full + end).filter((found) => existsSync(path.join(checkout, found)));
  });
}

function runBy(file: string, found = new Set<string>()): Set<string> {
  for (const next of importsOf(file, { types: false })) if (!found.has(next)) runBy(next, found.add(next));
  return found;
}

test('at most eight stops', () => {
  expect(stops.length).toBeGreaterThan(4);
  expect(stops.length).toBeLessThanOrEqual(8);
});

test.each(stops.map((stop, index) => [stop, stops.slice(0, index)] as const))(
  '%s imports no stop before it',
  (stop, before) => {
    const imported = new Set([...importsOf(stop, { types: true }), ...runBy(stop)]);
    expect(imported.size).toBeGreaterThan(0);
    expect(before.filter((earlier) => imported.has(earlier))).toEqual([]);
  },
);
