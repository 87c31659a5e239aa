import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { temporaryFolder } from '../setup/temporary-folder';

const folder = temporaryFolder('touched');
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
const said = (...args: string[]) =>
  execFileSync(process.execPath, [path.join(checkout, 'tools/lint/touched.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    // A repository that the folder of temporary files happens to lie in is not looked for.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(folder) },
  });

function write(file: string, lines: number): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), 'a line\n'.repeat(lines));
}

test('the lint tells how many files a change touches, and never fails for it', () => {
  expect(said()).toBe(''); // no repository
  git('init', '-q', '-b', 'main');
  for (const file of ['store/a.ts', 'store/moved.ts', 'package-lock.json', 'api/b.ts']) write(file, 1);
  git('add', '.');
  git('commit', '-qm', 'Begin');
  expect(said()).toBe('');
  git('checkout', '-qb', 'change');
  write('store/a.ts', 4);
  write('test/store/a.test.ts', 5);
  write('docs/a.md', 2);
  write('package-lock.json', 90);
  git('mv', 'store/moved.ts', 'api/here.ts');
  git('add', '.');
  write('store/not-added-yet.ts', 10);
  expect(said()).toBe(
    'This change touches 2 product, 1 test and 1 document files, 20.0 for each 100 lines added. The goal for a feature is 5, 2 and 1.\n',
  );
  expect(said('no-such-branch')).toBe('');
});
