const config = require('./jest.config');

// What takes too long to wait for at every change: test/README.md.
process.env.GDX_SLOW = '1'; // more cases of what `npm test` plays a few of (test/setup/cases.ts)
const MORE_CASES = [
  'cli/commands',
  'commit-order/properties',
  'customer/isolation',
  'farmer/browser',
  'farmer/codes',
  'farmer/stolen-phone',
  'sharing/feed',
  'sharing/kill-nine',
  'sharing/properties',
  'store/window-property',
  'workflows/work-lanes',
];

/** @type {import('jest').Config} */
module.exports = {
  ...config,
  testMatch: ['*.slow', ...MORE_CASES.map((name) => name.replace('/', '/**/'))].map(
    (name) => `<rootDir>/test/**/${name}.test.ts`,
  ),
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 2, // the bounds on time are tighter here
};
