/** For `doNotFake` of jest's fake timers: a clock is set, and everything else goes on. */
export const ALL_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
