const { withParts } = require('./test/setup/jest-base.js');
const { filesOf } = require('./test/setup/tiers.js');

/** What needs the image, which the global setup builds. @type {import('jest').Config} */
module.exports = {
  ...withParts,
  testMatch: filesOf('image'),
  globalSetup: '<rootDir>/test/image/global-setup.ts',
  globalTeardown: '<rootDir>/test/image/global-teardown.ts',
  maxWorkers: 2,
};
