const { base } = require('./test/setup/jest-base.js');

/** The tests of domain/, which need neither MongoDB nor Temporal. @type {import('jest').Config} */
module.exports = {
  ...base,
  roots: ['<rootDir>/domain', '<rootDir>/test/domain'],
  testMatch: ['**/*.test.ts'],
};
