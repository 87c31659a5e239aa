const { withParts } = require('./test/setup/jest-base.js');

process.env.GDX_TOOLS = '1'; // what these files play with programs that not every machine has

/** What only the programs of others can check: test/README.md. @type {import('jest').Config} */
module.exports = {
  ...withParts,
  testMatch: ['*.tools', 'samples/verify-signature.slow'].map((name) => `<rootDir>/test/**/${name}.test.ts`),
  maxWorkers: 3,
};
