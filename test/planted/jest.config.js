const { withParts } = require('../setup/jest-base.js');

/** Any test of any tier, on parts that stand already: jest neither starts nor stops any. @type {import('jest').Config} */
const { globalSetup, globalTeardown, ...onGivenParts } = withParts;
module.exports = { ...onGivenParts, testMatch: ['<rootDir>/test/**/*.test.ts'] };
