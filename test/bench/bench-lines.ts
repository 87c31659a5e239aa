import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { markOf, type Row } from './row';

/** Each row as a line of JSON that says by itself where it was measured. */
export function benchLines(rows: Row[], server: string, at: Date): string {
  const where = { at: at.toISOString(), server, node: process.version, cores: os.availableParallelism() };
  return rows.map((row) => `${JSON.stringify({ ...where, ...row, mark: markOf(row) })}\n`).join('');
}

/** @returns the file: `<dir>/<time>.jsonl` */
export function writeBenchLines(dir: string, lines: string, at: Date): string {
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, `${at.toISOString().replace(/:/g, '-')}.jsonl`);
  writeFileSync(file, lines);
  return file;
}
