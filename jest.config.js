const { base, withParts } = require('./test/setup/jest-base.js');
const { isUnit, quickFiles } = require('./test/setup/tiers.js');

const quick = quickFiles();

/** The tests that one waits for: `unit` needs nothing, `parts` needs MongoDB, Temporal and a build. @type {import('jest').Config} */
module.exports = {
  projects: [
    { ...base, displayName: 'unit', testMatch: quick.filter(isUnit) },
    { ...withParts, displayName: 'parts', testMatch: quick.filter((file) => !isUnit(file)) },
  ],
  testTimeout: base.testTimeout,
  maxWorkers: 3,
};
