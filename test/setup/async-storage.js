const { AsyncLocalStorage } = require('node:async_hooks');

// Up to Node 22 each storage that was used once is carried along by every promise, until it is disabled: nobody disables
// those of jest-circus (one for each test file) and of Temporal's connections.

/** Whether this Node does that. A later one lets nobody replace the class. */
const IS_CARRIED = Number(process.versions.node.split('.')[0]) <= 22;

/** Those used since they were last cleared. */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

/** An AsyncLocalStorage for what runs one after the other, as tests do without `test.concurrent`. */
class OneAtATime {
  run(store, callback) {
    const { store: before } = this;
    this.store = store;
    const result = callback();
    const restore = () => void (this.store = before);
    if (!(result instanceof Promise)) restore();
    return result instanceof Promise ? result.finally(restore) : result;
  }

  getStore() {
    return this.store;
  }
}

module.exports = { IS_CARRIED, OneAtATime, storages };
