const { withParts } = require('./test/setup/jest-base.js');
const { playedIn } = require('./test/setup/tiers.js');

process.env.GDX_TIER = 'slow'; // test/setup/cases.ts

/** What takes too long to wait for while one works. @type {import('jest').Config} */
module.exports = {
  ...withParts,
  testMatch: playedIn('slow'),
  testEnvironmentOptions: { ...withParts.testEnvironmentOptions, tier: 'slow' },
  maxWorkers: 3, // most of these wait more than they compute
};
