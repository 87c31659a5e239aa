import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../local/checkout';
import type { DemoStage } from './demo-stage';
import { sayCommand } from './terminal';

const MAIN = path.join(checkout, 'dist', 'cli', 'main.js');

/** Runs `gdx` as a process and prints the command. @returns its JSON output */
export async function runGdx<Answer>(stage: DemoStage, ...words: string[]): Promise<Answer> {
  const typed = [...words, '--json'];
  sayCommand(['gdx', ...typed]);
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...typed], { env: stage.env });
  return JSON.parse(stdout) as Answer;
}
