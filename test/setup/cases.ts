/** How many cases to play: few in `npm test`, more in `npm run test:slow`, as many as GDX_CASES says where it does. */
export const cases = (few: number, more: number) =>
  Number(process.env['GDX_CASES'] ?? (process.env['GDX_SLOW'] ? more : few));

/** For a property: a failure prints its seed and path, and GDX_SEED and GDX_PATH play it again (fast-check-seed.ts). */
export const played = (few: number, more: number) => ({
  numRuns: cases(few, more),
  ...(process.env['GDX_PATH'] && { path: process.env['GDX_PATH'] }),
});

/** A table's first rows in `npm test`, all of it in `npm run test:slow`. */
export const first = <T>(amount: number, rows: readonly T[]): readonly T[] =>
  process.env['GDX_SLOW'] ? rows : rows.slice(0, amount);

/** A test that only `npm run test:slow` plays. */
export const slowTest = process.env['GDX_SLOW'] ? marked() : none();

/** A test of `cases`, `played` or `first`: `npm test` plays a few, `npm run test:slow` more. */
export const scaledTest = marked();

type Test = typeof test;
const SLOW_TIER = Symbol.for('gdx.slowTier');

/** `test`, whose tests one-realm.js leaves to the slow tier. */
function marked(): Test {
  const marking =
    <Args extends unknown[]>(register: (...args: Args) => void) =>
    (...args: Args) => {
      Object.assign(globalThis, { [SLOW_TIER]: true });
      register(...args);
      Object.assign(globalThis, { [SLOW_TIER]: false });
    };
  const each = (...table: Parameters<Test['each']>) => marking(test.each(...table) as never);
  return Object.assign(marking(test), { each }) as unknown as Test;
}

/** Registers nothing. */
function none(): Test {
  const nothing = Object.assign(() => {}, { each: () => () => {} });
  return nothing as unknown as Test;
}
