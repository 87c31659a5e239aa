/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.(slow|tools)\\.test\\.ts$'], // jest.slow.config.js, jest.tools.config.js
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
  setupFiles: ['<rootDir>/test/setup/own-mongo.ts', '<rootDir>/test/setup/fast-check-seed.ts'],
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
  testTimeout: 600_000, // for a loaded machine: it costs time only where a test fails
  maxWorkers: 3,
};
