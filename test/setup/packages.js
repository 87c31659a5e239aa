const { createHash } = require('node:crypto');

/**
 * Loads a package in Node's own way, once a process, instead of evaluating it for each test file (one-realm.js). What
 * Node itself loads, such as the global setup, has a module that compiles, and is evaluated as it stands.
 */
const codeOf = (
  file,
) => `if (!module._compile) module.exports = globalThis[Symbol.for('gdx.requirePackage')](${JSON.stringify(file)});
  else module._compile(require('node:fs').readFileSync(__filename, 'utf8'), __filename);`;

module.exports = {
  process: (_, file) => ({ code: codeOf(file) }),
  getCacheKey: (_, file) => createHash('sha256').update(codeOf(file)).digest('hex').slice(0, 32),
};
