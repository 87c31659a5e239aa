const path = require('node:path');

/** What the tests of every tier share. */
const base = {
  rootDir: path.join(__dirname, '../..'),
  testEnvironment: 'node',
  // Packages that exist only as ES modules (.mjs) are transformed too; everything else in node_modules is not.
  transform: {
    '^.+\\.(tsx?|mjs)$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
        },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/.+\\.c?js$'],
  resolver: '<rootDir>/test/setup/resolve.js',
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  watchPathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  setupFiles: ['<rootDir>/test/setup/fast-check-seed.ts'],
  testTimeout: 600_000, // for a loaded machine: it costs time only where a test fails
};

/** Tests on real parts, which the global setup starts. */
const withParts = {
  ...base,
  setupFiles: ['<rootDir>/test/setup/own-mongo.ts', ...base.setupFiles],
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
};

module.exports = { base, withParts };
