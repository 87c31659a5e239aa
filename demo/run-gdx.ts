import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../deploy/local/checkout';
import type { Stage } from './stage';
import { sayCommand } from './terminal';

const MAIN = path.join(checkout, 'dist', 'cli', 'main.js');

/** Runs the operator's tool as a process, and shows what was typed. @returns its JSON answer */
export async function runGdx<Answer>(stage: Stage, ...words: string[]): Promise<Answer> {
  const typed = [...words, '--json'];
  sayCommand(['gdx', ...typed]);
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...typed], { env: stage.env });
  return JSON.parse(stdout) as Answer;
}
