// Mutation tests of domain/: each mutant should make a test of test/domain fail.
export default {
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  // Not by relation, of which jest knows nothing beyond its roots, as config.ts is: by coverage.
  jest: { configFile: 'jest.config.js', enableFindRelatedTests: false },
  mutate: ['domain/**/*.ts'],
  ignorePatterns: ['/dist', '/.local', '/docs/images', '/test/replay'],
  coverageAnalysis: 'perTest',
  // Tables and schemas that are built when a module is loaded: each such mutant would cost a run of every test.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 1_000,
  timeoutFactor: 1,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
  incremental: true,
  incrementalFile: '.local/mutation/incremental.json',
  jsonReporter: { fileName: '.local/mutation/report.json' },
  tempDirName: '.local/mutation/sandbox',
  thresholds: { high: 95, low: 85, break: 85 },
};
