import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../setup/temporary-folder';
import { changedFiles } from './changed-files';

let dir: string;
const write = (file: string) => writeFileSync(path.join(dir, file), `${Math.random()}`);
const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' });
const commit = (file: string) => {
  write(file);
  git('add', file);
  git('-c', 'user.name=t', '-c', 'user.email=t@t.example', 'commit', '-qm', file);
};
const changed = (base?: string) => [...changedFiles(base, { dir })].sort();

beforeEach(() => {
  dir = temporaryFolder('changed');
  git('init', '-q', '-b', 'main');
  for (const file of ['kept', 'edited', 'staged', 'deleted']) commit(file);
  git('switch', '-qc', 'work');
});

test('files changed since the branch left main are those of commits and those that are not committed', () => {
  commit('committed');
  for (const file of ['edited', 'staged', 'grüner Weizen']) write(file);
  git('add', 'staged');
  rmSync(path.join(dir, 'deleted'));
  expect(changed()).toEqual(['committed', 'deleted', 'edited', 'grüner Weizen', 'staged']);
});

test('what main has got since is not changed', () => {
  commit('committed');
  git('switch', '-q', 'main');
  commit('of-main');
  git('switch', '-q', 'work');
  expect(changed()).toEqual(['committed']);
});

test('on main itself, files changed since what was pushed', () => {
  git('update-ref', 'refs/remotes/origin/main', 'main');
  git('switch', '-q', 'main');
  commit('not-pushed');
  expect(changed()).toEqual(['not-pushed']);
});

test('a base that is named is compared with as it is', () => {
  commit('first');
  commit('second');
  expect(changed('HEAD~1')).toEqual(['second']);
});

test('files that git ignores are not changed', () => {
  commit('.gitignore');
  writeFileSync(path.join(dir, '.gitignore'), 'built\n');
  write('built');
  expect(changed('HEAD')).toEqual(['.gitignore']);
});

const ADVICE = 'name the faults instead, or a base that `git rev-parse` knows: --changed REV';

test('a base that there is not is refused', () => {
  expect(() => changed('never')).toThrow(`there is no revision never; ${ADVICE}`);
});

test('a repository without main is refused', () => {
  git('branch', '-qD', 'main');
  expect(() => changed()).toThrow(`there is no branch main; ${ADVICE}`);
});

test('a folder that is no repository is refused', () => {
  rmSync(path.join(dir, '.git'), { recursive: true });
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(dir) };
  expect(() => changedFiles('HEAD', { dir, env })).toThrow(/^fatal: not a git repository.*; name the faults/);
});
