import { InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { trimmed } from '../domain/text/pasted-text';
import { textOf } from '../client/text-file/plain-text';

/**
 * The lines of a file, or of standard input: a command line can be seen by others on the machine, and stays in the shell's
 * history. Errors never repeat them.
 */
export function secretLines(file: string): string[] {
  try {
    const text = textOf(readFileSync(file === '-' ? 0 : file));
    return text.split(/\r?\n/).map(trimmed).filter(Boolean);
  } catch {
    throw new InvalidArgumentError('The file cannot be read.');
  }
}
