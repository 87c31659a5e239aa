// Says how many files a change touches, as advice: CONTRIBUTING.md has the goal. It ends with 0, also where git knows no `main`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { roomOf } from './import-table.mjs';

const [base = 'main'] = process.argv.slice(2);
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** @returns undefined for what belongs to none of them, such as the lock file */
function kindOf(file) {
  if (file.startsWith('test/')) return 'test';
  if (file.endsWith('.md')) return 'document';
  return roomOf(file) || file.startsWith('tools/') ? 'product' : undefined;
}

/** Since the change left `base`, with what is not committed yet. */
function touched() {
  const files = { product: 0, test: 0, document: 0 };
  let lines = 0;
  const count = (file, added, removed) => {
    const kind = kindOf(file);
    if (!kind || added + removed === 0) return; // a file that has only moved
    files[kind] += 1;
    lines += added;
  };
  const changed = git('diff', '--numstat', '-M', '-z', git('merge-base', base, 'HEAD').trim());
  // Of a binary file "-" is in place of a number; of a moved file both names follow.
  for (const [, added, removed, file, moved] of changed.matchAll(
    /(\d+|-)\t(\d+|-)\t(?:([^\0]+)|\0[^\0]+\0([^\0]+))\0/g,
  ))
    count(file ?? moved, Number(added) || 0, Number(removed) || 0);
  for (const file of git('ls-files', '--others', '--exclude-standard', '-z').split('\0').slice(0, -1))
    count(file, readFileSync(file, 'utf8').split('\n').length - 1, 0);
  return { files, lines };
}

try {
  const { files, lines } = touched();
  const all = files.product + files.test + files.document;
  const per = lines > 0 ? `, ${((100 * all) / lines).toFixed(1)} for each 100 lines added` : '';
  if (all > 0)
    console.log(
      `This change touches ${files.product} product, ${files.test} test and ${files.document} document files${per}. The goal for a feature is 5, 2 and 1.`,
    );
} catch {
  // A copy without its history, or a clone without `main`.
}
