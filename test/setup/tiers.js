const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const path = require('node:path');

const TESTS = path.join(__dirname, '..');
const TEST = /\.test\.ts$/;
const LONG = /\.(slow|nightly|tools|image|cluster)\.test\.ts$/;

// An address of a part, or a file that `npm run build` makes.
const NEEDS_PARTS = /\bMONGODB_URI\b|\bTEMPORAL_ADDRESS\b|\bGDX_TEST_(?!DIR)|'dist\/|\/dist\/worker/;
// Types are gone when a test runs.
const IMPORT = /^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+)';|\b(?:import|require)\('(\.[^']+)'\)/gm;

/** Whether a test file can run without MongoDB, Temporal and a build: nothing that it reaches below test/ names one. */
const isUnit = (file) => !needsParts(file);

const needs = new Map();
function needsParts(file) {
  if (!needs.has(file)) {
    needs.set(file, false); // for a circle
    const { text, imports } = read(file);
    needs.set(file, NEEDS_PARTS.test(text) || imports.filter(isBelowTests).some(needsParts));
  }
  return needs.get(file);
}

// What marks a test for a slower tier than its file's (cases.ts).
const MARKS = { slow: 'slowTest', nightly: 'scaledTest|nightlyTest' };

/** The files of a slower tier, and those that hold, themselves or by a helper that they import from their folder, tests marked for it. */
function playedIn(tier) {
  const marks = new RegExp(`import \\{[^}]*\\b(?:${MARKS[tier]})\\b[^}]*\\} from '[./]+setup/cases'`);
  const isMarked = (file) =>
    [file, ...read(file).imports].some(
      (each) => path.dirname(each) === path.dirname(file) && marks.test(read(each).text),
    );
  return allFiles().filter(
    (file) => file.endsWith(`.${tier}.test.ts`) || (!LONGER[tier].test(file) && isMarked(file)),
  );
}
const LONGER = { slow: LONG, nightly: /\.(nightly|tools|image|cluster)\.test\.ts$/ };

/** Every test file that `npm test` plays, by absolute path. */
const quickFiles = () => allFiles().filter((file) => !LONG.test(file));

/** The files of one of the other tiers. @param {string} tier such as `slow` */
const filesOf = (tier) => allFiles().filter((file) => file.endsWith(`.${tier}.test.ts`));

const allFiles = () =>
  readdirSync(TESTS, { recursive: true })
    .filter((file) => TEST.test(file))
    .map((file) => path.join(TESTS, file))
    .sort();

const isBelowTests = (file) => file.startsWith(TESTS) && !file.endsWith('setup/cases.ts');

const known = new Map();
function read(file) {
  if (!known.has(file)) {
    const text = readFileSync(file, 'utf8');
    const specifiers = [...text.matchAll(IMPORT)].map(([, from, called]) => from ?? called);
    known.set(file, { text, imports: specifiers.flatMap((specifier) => resolve(file, specifier)) });
  }
  return known.get(file);
}

function resolve(from, specifier) {
  const base = path.join(path.dirname(from), specifier).replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`].filter((file) => existsSync(file) && statSync(file).isFile());
}

module.exports = { filesOf, isUnit, playedIn, quickFiles };
