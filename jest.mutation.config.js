const { globalSetup, globalTeardown, setupFiles, maxWorkers, ...pure } = require('./jest.config.js');

/** The tests of domain/, which need neither MongoDB nor Temporal. @type {import('jest').Config} */
module.exports = {
  ...pure,
  roots: ['<rootDir>/domain', '<rootDir>/test/domain'],
  testMatch: ['**/*.test.ts'],
  setupFiles: ['<rootDir>/test/setup/fast-check-seed.ts'],
};
