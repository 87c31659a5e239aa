import { InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { textOf } from '../client/text-file/plain-text';

/** Heads of the ledger that were kept outside the database, by channel. */
export type HeadsByChannel = Map<string, Map<number, string>>;

// As the alerts post it: acme/12:<hash>
const HEAD = /^(?<channel>[a-z0-9-]+)\/(?<number>[1-9]\d*):(?<hash>[0-9a-f]{64})$/;

const HEADS = /[a-z0-9-]+\/\d+:[0-9a-f]{64}/g;

export const hasHead = (text: string) => text.match(HEADS) !== null;

/** `--head`, repeatable. */
export function collectHead(text: string, before: HeadsByChannel = new Map()): HeadsByChannel {
  const { channel, number, hash } = HEAD.exec(text)?.groups ?? {};
  if (!channel || !hash) throw new InvalidArgumentError('Use <channel>/<number>:<hash>, as it was posted.');
  const heads = before.get(channel) ?? new Map<number, string>();
  return before.set(channel, heads.set(Number(number), hash));
}

/** `--heads`: reads all heads in a file. Any other text in the file is ignored. */
export function readHeads(file: string, before: HeadsByChannel = new Map()): HeadsByChannel {
  const found = readHeadsFile(file).match(HEADS);
  if (!found)
    throw new InvalidArgumentError('The file has no head: <channel>/<number>:<hash>, as it was posted.');
  return found.reduce((heads, one) => collectHead(one, heads), before);
}

const ACTION_HEADS = /\bactions:(\d+):([0-9a-f]{64})/g;

/** The heads of the operators' actions in a file, by number. */
export function readActionHeads(file: string): Map<number, string> {
  const found = [...readHeadsFile(file).matchAll(ACTION_HEADS)];
  if (found.length === 0)
    throw new InvalidArgumentError('The file has no head: actions:<number>:<hash>, as it was posted.');
  return new Map(found.map(([, number, hash]) => [Number(number), hash!]));
}

/** The text of a file with heads; `-` is standard input, as a container has no file of its host. */
export function readHeadsFile(file: string): string {
  try {
    return textOf(readFileSync(file === '-' ? 0 : file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidArgumentError(`The file cannot be read (${code ?? message}).`);
  }
}
