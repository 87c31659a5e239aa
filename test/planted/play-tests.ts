import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { escaped } from './escaped';
import type { PlantedFault } from './planted-fault';

type NamedTest = PlantedFault['test'];

/** What came of one test of jest. */
export interface PlayedTest {
  path: string;
  name: string;
  status: string;
  /** Of a failure: its first line. */
  why: string;
}

interface JestReport {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

// What waits for something that a fault prevents shall not wait as long as a loaded machine may need.
const TEST_TIMEOUT_MS = 90_000;

/**
 * Plays the named tests of a checkout, and no others, on the parts that the environment names.
 * @throws Error with what jest said when a file could not be loaded at all
 */
export async function playTests(dir: string, tests: NamedTest[]): Promise<PlayedTest[]> {
  const reports = mkdtempSync(path.join(tmpdir(), 'gdx-jest-'));
  const outputFile = path.join(reports, 'report.json');
  const files = [...new Set(tests.map((test) => test.path))];
  const names = [...new Set(tests.map(({ name }) => name))].map(escaped).join('|');
  const options = ['--config', 'test/planted/jest.config.js', '--runInBand', '--silent', '--forceExit'];
  const args = [
    ...options,
    '--json',
    '--outputFile',
    outputFile,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    '-t',
    names,
    '--runTestsByPath',
    ...files,
  ];
  const child = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...args], {
    cwd: dir,
    env: { ...process.env, GDX_TIER: 'nightly' },
    stdio: 'ignore',
  });
  try {
    await once(child, 'exit');
    return resultsOf(dir, JSON.parse(readFileSync(outputFile, 'utf8')) as JestReport);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

function resultsOf(dir: string, { testResults }: JestReport): PlayedTest[] {
  return testResults.flatMap(({ name: file, message, assertionResults }) => {
    if (assertionResults.length === 0) throw new Error(`${file}: ${message}`);
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      path: path.relative(dir, file),
      name: fullName,
      status,
      why: failureMessages[0]?.split('\n')[0] ?? '',
    }));
  });
}

/** What came of a named test. @throws Error when there is no such test */
export function resultOf(played: PlayedTest[], test: NamedTest): { failed: string | undefined } {
  const named = played.filter(({ path: file, name }) => file === test.path && name.includes(test.name));
  const ran = named.filter(({ status }) => status === 'passed' || status === 'failed');
  if (ran.length === 0) throw new Error(`${test.path} has no test "${test.name}"`);
  return { failed: ran.find(({ status }) => status === 'failed')?.why };
}
