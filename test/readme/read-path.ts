import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(__dirname, '../..');
export const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

/** A block of the README's path, typed into one of its terminals. */
export interface Step {
  terminal: number;
  commands: string;
}

/** The blocks that begin with `# terminal N`, in order. */
export const STEPS: Step[] = [...README.matchAll(/^```sh\n# terminal (\d).*\n([\s\S]*?)^```/gm)].map(
  ([, terminal, commands]) => ({ terminal: Number(terminal), commands: commands! }),
);

/** The address that a farmer is to open. */
export const FARMER_LINK = /`(http:\S*\/subscriptions\?\S+)`/.exec(README)![1]!;
