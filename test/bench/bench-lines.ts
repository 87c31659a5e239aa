import { Type, type Static } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { appendFileSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BoundVerdict, markOf, type Row } from './row';

const LINE = Type.Object({
  at: Type.String(),
  server: Type.String(),
  id: Type.String(),
  what: Type.String(),
  value: Type.Union([Type.Number(), Type.Null()]),
  mark: Type.String(),
});

/** A row of an earlier run. `value` is null where nothing was measured. */
export type KeptLine = Static<typeof LINE>;

const isLine = new Ajv2020().compile<KeptLine>(LINE);

/** Each row as a line of JSON that says by itself where it was measured. */
export function benchLines(rows: Row[], server: string, at: Date): string {
  const where = { at: at.toISOString(), server, node: process.version, cores: os.availableParallelism() };
  return rows.map((row) => `${JSON.stringify({ ...where, ...row, mark: markOf(row) })}\n`).join('');
}

/** @throws Error that says which line is none of the bench's */
export function readBenchLines(text: string): KeptLine[] {
  return text
    .trim()
    .split('\n')
    .map((line, index) => {
      const kept = parsed(line);
      if (isLine(kept)) return kept;
      throw new Error(`line ${index + 1} is not one that the bench writes: --compare takes a .jsonl of it`);
    });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Sets an earlier run beside this one. A figure of the same measurement that is there no more is shown without a
 * value.
 */
export function besideKept(rows: Row[], kept: KeptLine[]): Row[] {
  const key = ({ id, what }: Pick<Row, 'id' | 'what'>) => `${id} ${what}`;
  const before = new Map(kept.map((line) => [key(line), line]));
  const measured = new Set(rows.map(({ id }) => id));
  const found = new Set(rows.map(key));
  const gone = kept.filter((line) => measured.has(line.id) && !found.has(key(line)));
  return [...rows, ...gone.map(({ id, what }): Row => ({ id, what, value: NaN, unit: 'x' }))].map((row) => {
    const line = before.get(key(row));
    if (!line) return row;
    return { ...row, before: { value: line.value ?? NaN, mark: line.mark as BoundVerdict } };
  });
}

/** Where a run's lines are kept: `<dir>/<time>.jsonl` */
export const benchFile = (dir: string, at: Date) =>
  path.join(dir, `${at.toISOString().replace(/:/g, '-')}.jsonl`);

export function appendBenchLines(file: string, lines: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, lines);
}
