const path = require('node:path');

/** What the tests of every tier share. */
const base = {
  rootDir: path.join(__dirname, '../..'),
  testEnvironment: '<rootDir>/test/setup/one-realm.js',
  testEnvironmentOptions: { globalsCleanup: 'off' }, // one-realm.js cleans up
  transform: {
    '/node_modules/': '<rootDir>/test/setup/packages.js',
    '\\.tsx?$': [
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
  transformIgnorePatterns: [],
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
