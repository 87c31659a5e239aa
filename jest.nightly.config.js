const { withParts } = require('./test/setup/jest-base.js');
const { filesOf } = require('./test/setup/tiers.js');

process.env.GDX_SLOW = '1';

/** What takes minutes a test. @type {import('jest').Config} */
module.exports = { ...withParts, testMatch: filesOf('nightly'), maxWorkers: 2 };
