const { withParts } = require('./test/setup/jest-base.js');
const { filesOf, hasSlowTests, quickFiles } = require('./test/setup/tiers.js');

process.env.GDX_SLOW = '1'; // more cases (test/setup/cases.ts)

/** What takes too long to wait for at every change. @type {import('jest').Config} */
module.exports = {
  ...withParts,
  testMatch: [...filesOf('slow'), ...quickFiles().filter(hasSlowTests)],
  testEnvironmentOptions: { ...withParts.testEnvironmentOptions, onlySlow: true },
  maxWorkers: 2, // the bounds on time are tighter here
};
