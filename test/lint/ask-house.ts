import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const MODULE = path.join(checkout, 'tools/lint/read-house.mjs');

/** The value of an expression over tools/lint/read-house.mjs, in a process of its own: jest does not load ES modules. */
export function askHouse(expression: string): unknown {
  const script = `import { circlesOf, namesakesOf, reachedFrom } from '${MODULE}'; console.log(JSON.stringify(${expression}));`;
  return JSON.parse(String(execFileSync(process.execPath, ['--input-type=module', '-e', script])));
}
