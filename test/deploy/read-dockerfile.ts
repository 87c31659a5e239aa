import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

export interface BuildStage {
  base: string;
  name: string;
  instructions: { op: string; args: string }[];
}

/** The stages of a Dockerfile, without comments, continued lines joined. @param file relative to the checkout */
export function readDockerfile(file = 'deploy/Dockerfile'): BuildStage[] {
  const text = readFileSync(path.join(checkout, file), 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter(Boolean);
  const stages: BuildStage[] = [];
  for (const line of lines) {
    const [, op = '', args = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const [, base = '', name = ''] = /^(\S+) AS ([\w-]+)$/.exec(args) ?? [];
    if (op === 'FROM') stages.push({ base, name, instructions: [] });
    else stages.at(-1)!.instructions.push({ op, args });
  }
  return stages;
}

const rules = readFileSync(path.join(checkout, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'));

/** Whether .dockerignore lets a path of the checkout into the build: all is shut, then opened, then shut again. */
export function isInContext(file: string): boolean {
  let open = true;
  for (const rule of rules) {
    const pattern = rule.replace(/^!/, '');
    if (pattern === '*' || isUnder(file, pattern)) open = rule.startsWith('!');
  }
  return open;
}

function isUnder(file: string, pattern: string): boolean {
  if (!pattern.startsWith('**/')) return file === pattern || file.startsWith(`${pattern}/`);
  const name = new RegExp(`^${pattern.slice(3).replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return name.test(path.basename(file));
}
