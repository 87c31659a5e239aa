const config = require('./jest.config');

process.env.GDX_TOOLS = '1'; // what these files play with programs that not every machine has

/** @type {import('jest').Config} What only the programs of others can check: test/README.md. */
module.exports = {
  ...config,
  testMatch: ['*.tools', 'cli/**/completion', 'samples/**/verify-signature'].map(
    (name) => `<rootDir>/test/**/${name}.test.ts`,
  ),
  testPathIgnorePatterns: ['/node_modules/'],
};
