import { createInterface } from 'node:readline/promises';
import { CliError } from './cli-error';

// On stderr, so that the question is visible when stdout is redirected.
const TERMINAL = {
  input: process.stdin as NodeJS.ReadableStream & { isTTY?: boolean },
  output: process.stderr,
};

/**
 * Asks before something is sent or destroyed. Without a terminal it does not ask, so that scripts can run.
 * @throws CliError when the answer is not yes
 */
export async function confirm(question: string, terminal: typeof TERMINAL = TERMINAL): Promise<void> {
  if (!terminal.input.isTTY) return;
  const lines = createInterface(terminal);
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('no')));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was changed', 'answer y, or add --yes');
}
