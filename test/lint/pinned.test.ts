import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../../tools/local/checkout';

const GITHUB = path.join(checkout, '.github');
const read = (file: string) => readFileSync(path.join(GITHUB, file), 'utf8');
const workflows = readdirSync(path.join(GITHUB, 'workflows')).map((file) => `workflows/${file}`);

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
}

// A tag can be moved to anything, as has been done to actions that many used.
test.each(workflows)('every action of %s is named by its digest, with its version beside it', (file) => {
  const lines = read(file).match(/uses: .*/g)!;
  expect(lines.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

// What a later step runs could push with them.
test.each(workflows)('no checkout of %s leaves its credentials behind', (file) => {
  const { jobs } = parse(read(file)) as { jobs: Record<string, { steps: Step[] }> };
  const checkouts = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkouts.length).toBeGreaterThan(0);
  expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
});

test('a program that a workflow fetches and runs is named by its version', () => {
  const fetched = workflows.flatMap((file) => read(file).match(/(?:go run|pipx run|npx) [\w./=@-]+/g) ?? []);
  expect(fetched.length).toBeGreaterThan(0);
  expect(fetched.filter((each) => !/(@v|==)\d+\.\d+\.\d+$/.test(each))).toEqual([]);
});

test('new versions are offered of all that is pinned', () => {
  const { updates } = parse(read('dependabot.yml')) as { updates: { 'package-ecosystem': string }[] };
  expect(updates.map((each) => each['package-ecosystem'])).toEqual([
    'npm',
    'github-actions',
    'docker',
    'docker-compose',
  ]);
});
