const { base } = require('./test/setup/jest-base.js');
const { filesOf } = require('./test/setup/tiers.js');

/** What a Kubernetes API server of its own says of the manifests. @type {import('jest').Config} */
module.exports = { ...base, testMatch: filesOf('cluster') };
