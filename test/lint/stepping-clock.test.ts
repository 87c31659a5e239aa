import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const RULES = path.join(checkout, 'tools/lint/house-rules.mjs');

/** How often the rule objects to each of these texts. */
function objections(texts: readonly string[]): number[] {
  const script = `
    import { Linter } from 'eslint';
    import tseslint from 'typescript-eslint';
    import house from '${RULES}';
    const config = [{
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { house },
      rules: { 'house/stepping-clock': 'error' },
    }];
    const found = ${JSON.stringify(texts)}.map((text) => new Linter().verify(text, config, 'store/planted.ts').length);
    console.log(JSON.stringify(found));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: checkout });
  return JSON.parse(String(out)) as number[];
}

const COMPARED = [
  'const isOld = Date.now() - kept.at > 5;',
  'if (kept.until > Date.now()) use(kept);',
  'while (Date.now() < ends) wait();',
  'const now = Date.now(); if (now >= ends) begin(now);',
  'const [hash, now] = [hashOf(token), Date.now()]; if (now - noted < 5) leave();',
  'const began = Date.now(); work(); say(() => Date.now() - began);',
  'const limiter = (clock: () => number = Date.now) => clock();',
];
const FREE = [
  'const ends_at = new Date(Date.now() + 5);',
  'find({ sent_at: { $lte: new Date(Date.now() - 5) } });',
  'const isOld = performance.now() - kept.at > 5;',
  'const [hash, now] = [hashOf(token), performance.now()]; if (now - noted < 5) leave();',
  'note({ at: Date.now() });',
];

test('whatever compares the time of a clock is refused, by itself or in a variable, and nothing else', () => {
  const found = objections([...COMPARED, ...FREE]);
  expect(COMPARED.filter((_, index) => found[index] === 0)).toEqual([]);
  expect(FREE.filter((_, index) => found[COMPARED.length + index] !== 0)).toEqual([]);
});
