const { withParts } = require('./test/setup/jest-base.js');
const { playedIn } = require('./test/setup/tiers.js');

process.env.GDX_TIER = 'nightly'; // test/setup/cases.ts

/** What takes minutes a test, and more cases of what is played at every change. @type {import('jest').Config} */
module.exports = {
  ...withParts,
  testMatch: playedIn('nightly'),
  testEnvironmentOptions: { ...withParts.testEnvironmentOptions, tier: 'nightly' },
  maxWorkers: 2,
};
