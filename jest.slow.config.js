const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const config = require('./jest.config');

process.env.GDX_SLOW = '1'; // more cases of what `npm test` plays a few of, or none (test/setup/cases.ts)
const files = readdirSync(path.join(__dirname, 'test'), { recursive: true }).filter((file) =>
  file.endsWith('.ts'),
);
const names = (file, what) => readFileSync(path.join(__dirname, 'test', file), 'utf8').includes(`/${what}'`);
const tests = files.filter((file) => file.endsWith('.test.ts'));
const helpers = files.filter((file) => !tests.includes(file) && names(file, 'setup/cases'));
const having = ['setup/cases', ...helpers.map((file) => path.basename(file, '.ts'))];
const hasMore = (file) => having.some((what) => names(file, what));

/** @type {import('jest').Config} */
module.exports = {
  ...config,
  // What takes too long to wait for at every change: test/README.md.
  testMatch: tests
    .filter((file) => file.endsWith('.slow.test.ts') || hasMore(file))
    .map((file) => `<rootDir>/test/${file}`),
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 2, // the bounds on time are tighter here
};
