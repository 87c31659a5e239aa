import { createInterface } from 'node:readline/promises';
import { Failure } from './failure';

// The question goes to stderr, so that it is seen when stdout goes to a file.
const TERMINAL = {
  input: process.stdin as NodeJS.ReadableStream & { isTTY?: boolean },
  output: process.stderr,
};

/**
 * Asks before something is sent or destroyed. Without a terminal there is nobody to ask: scripts go ahead.
 * @throws Failure when the answer is not yes
 */
export async function confirm(question: string, terminal: typeof TERMINAL = TERMINAL): Promise<void> {
  if (!terminal.input.isTTY) return;
  const lines = createInterface(terminal);
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('no')));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('nothing was changed', 'answer y, or add --yes');
}
