/** `import('./x.js')` in a source file means x.ts, as for TypeScript. */
module.exports = (request, options) => {
  const ours = /^\.\.?\/.*\.js$/.test(request) && !options.basedir.includes('/node_modules');
  return options.defaultResolver(ours ? request.slice(0, -3) : request, options);
};
