const { TestEnvironment } = require('jest-environment-node');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const asyncHooks = require('node:async_hooks');
const vm = require('node:vm');
const { IS_CARRIED, OneAtATime, storages } = require('./async-storage.js');

// jest compiles modules for the context that the environment names: this one stands for the realm of the process.
const THIS_REALM = vm.createContext({});
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options = {}) =>
  options.parsingContext === THIS_REALM
    ? scriptOf(code, parameters, options.filename).runInThisContext()
    : compileFunction(code, parameters, options);

const scripts = new Map();
/** Compiled once a process: each test file has functions, and with them variables, of its own all the same. */
function scriptOf(code, parameters, filename) {
  const known = scripts.get(filename);
  if (known?.code === code) return known.script;
  const opening = `(function (${parameters.join(',')}) {`;
  const script = new vm.Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
  scripts.set(filename, { code, script });
  return script;
}

// How packages.js loads a package.
globalThis[Symbol.for('gdx.requirePackage')] = require;

/**
 * Test files of one jest worker share the realm of its process, and with it the packages, which each file would otherwise
 * evaluate again: they are four fifths of all modules. The modules of this repository stay each file's own. What a file
 * changes of the process is undone at its end.
 */
module.exports = class OneRealm extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
    this.marked = new Map();
    const { tier } = config.projectConfig.testEnvironmentOptions;
    const isQuicker = /\.test\.ts$/.test(context.testPath) && !context.testPath.endsWith(`.${tier}.test.ts`);
    this.plays = isQuicker ? tier : undefined;
    this.before = {
      env: { ...process.env },
      getBuiltinModule: process.getBuiltinModule,
      globals: new Set(Reflect.ownKeys(globalThis)),
      listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name)])),
    };
  }

  async setup() {
    await super.setup();
    Error.stackTraceLimit = 20; // jest asks for 100 of each error that is made
    if (!IS_CARRIED) return;
    this.AsyncLocalStorage = asyncHooks.AsyncLocalStorage;
    asyncHooks.AsyncLocalStorage = OneAtATime; // until jest-circus has made its own
  }

  /** Of the file of a quicker tier, a slower one plays what cases.ts has marked for it: the quicker one plays the rest. */
  handleTestEvent(event, state) {
    if (this.AsyncLocalStorage) asyncHooks.AsyncLocalStorage = this.AsyncLocalStorage;
    if (event.name === 'add_test') this.marked.set(event.fn, globalThis[Symbol.for('gdx.tier')]);
    if (event.name === 'run_start' && this.plays) this.prune(state.rootDescribeBlock);
  }

  prune(block) {
    const isPlayed = (child) =>
      child.type === 'test'
        ? this.marked.get(child.fn) === this.plays
        : this.prune(child).children.length > 0;
    block.children = block.children.filter(isPlayed);
    if (block.tests) block.tests = block.tests.filter((child) => block.children.includes(child));
    return block;
  }

  getVmContext() {
    return THIS_REALM;
  }

  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    this.moduleMocker.restoreAllMocks();
    await super.teardown();
    const { env, getBuiltinModule, globals, listeners } = this.before;
    if (getBuiltinModule) process.getBuiltinModule = getBuiltinModule;
    for (const name of Object.keys(process.env))
      if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!listeners.get(name)?.includes(listener)) process.off(name, listener);
    for (const key of Reflect.ownKeys(globalThis))
      if (!globals.has(key)) Reflect.deleteProperty(globalThis, key);
  }
};
