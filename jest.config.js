const { base, withParts } = require('./test/setup/jest-base.js');
const { filesOf, isUnit, playedIn, quickFiles } = require('./test/setup/tiers.js');

const playing = (tier) => ({
  ...withParts,
  testMatch: playedIn(tier),
  testEnvironmentOptions: { ...withParts.testEnvironmentOptions, tier },
});

/** What GDX_TIER chooses: see test/README.md. @type {Record<string, () => import('jest').Config>} */
const TIERS = {
  /** The tests that one waits for: `unit` needs nothing, `parts` needs MongoDB, Temporal and a build. */
  quick() {
    const quick = quickFiles();
    return {
      projects: [
        { ...base, displayName: 'unit', testMatch: quick.filter(isUnit) },
        { ...withParts, displayName: 'parts', testMatch: quick.filter((file) => !isUnit(file)) },
      ],
      testTimeout: base.testTimeout,
      maxWorkers: 3,
    };
  },
  /** What takes too long to wait for while one works. Most of it waits more than it computes. */
  slow: () => ({ ...playing('slow'), maxWorkers: 3 }),
  /** What takes minutes a test, and more cases of what is played at every change. */
  nightly: () => ({ ...playing('nightly'), maxWorkers: 2 }),
  /** What needs the image, which the global setup builds. */
  image: () => ({
    ...withParts,
    testMatch: filesOf('image'),
    globalSetup: '<rootDir>/test/image/global-setup.ts',
    globalTeardown: '<rootDir>/test/image/global-teardown.ts',
    maxWorkers: 2,
  }),
  /** What only the programs of others can check. */
  tools: () => ({
    ...withParts,
    testMatch: [
      ...filesOf('tools'),
      '<rootDir>/test/samples/receivers.slow.test.ts',
      '<rootDir>/test/samples/verify-signature.slow.test.ts',
    ],
    maxWorkers: 3,
  }),
  /** What a Kubernetes API server of its own says of the manifests. */
  cluster: () => ({ ...base, testMatch: filesOf('cluster') }),
  /** The tests of domain/ alone, for its mutants. */
  mutation: () => ({
    ...base,
    roots: ['<rootDir>/domain', '<rootDir>/test/domain'],
    testMatch: ['**/*.test.ts'],
  }),
};

const tier = process.env.GDX_TIER ?? 'quick';
if (!(tier in TIERS)) throw new Error(`GDX_TIER=${tier} is no tier: ${Object.keys(TIERS).join(', ')}`);
module.exports = TIERS[tier]();
