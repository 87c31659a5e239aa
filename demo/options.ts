import { parseArgs } from 'node:util';

export interface Options {
  /** Everything stays up after the story, until Ctrl-C. */
  keep: boolean;
  /** The closing numbers as one line of JSON at the end. */
  json: boolean;
}

export function readOptions(): Options {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  });
  return values;
}
