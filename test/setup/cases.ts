const { GDX_CASES, GDX_PATH, GDX_TIER } = process.env;
const isNight = GDX_TIER === 'nightly';

/** How many cases to play: few at every change, more in `npm run test:nightly`, as many as GDX_CASES says where it does. */
export const cases = (few: number, more: number) => Number(GDX_CASES ?? (isNight ? more : few));

/** For a property: a failure prints its seed and path, and GDX_SEED and GDX_PATH play it again (fast-check-seed.ts). */
export const played = (few: number, more: number) => ({
  numRuns: cases(few, more),
  ...(GDX_PATH && { path: GDX_PATH }),
});

/**
 * For a property whose cases take seconds: a failure is told at once, as a smaller one would take minutes to find. Played again by
 * GDX_PATH it is looked for.
 */
export const toldAtOnce = { endOnFailure: !GDX_PATH };

/** A table's first rows at every change, all of it in `npm run test:nightly`. */
export const first = <T>(amount: number, rows: readonly T[]): readonly T[] =>
  isNight ? rows : rows.slice(0, amount);

/** A test that `npm test` leaves to `npm run test:slow`. */
export const slowTest = isNight || GDX_TIER === 'slow' ? markedFor('slow') : none();

/** A test that `npm test` and `npm run test:slow` leave to `npm run test:nightly`. */
export const nightlyTest = isNight ? markedFor('nightly') : none();

/** A test of `cases`, `played` or `first`: played with few at every change, and with more in `npm run test:nightly`. */
export const scaledTest = markedFor('nightly');

type Test = typeof test;
const MARK = Symbol.for('gdx.tier');

/** `test`, whose tests one-realm.js plays in that tier, whatever their file is called. */
function markedFor(tier: string): Test {
  if (!('test' in globalThis)) return none(); // a proof that plays a scene of the tests, without jest
  const marking =
    <Args extends unknown[]>(register: (...args: Args) => void) =>
    (...args: Args) => {
      Object.assign(globalThis, { [MARK]: tier });
      register(...args);
      Object.assign(globalThis, { [MARK]: undefined });
    };
  const each = (...table: Parameters<Test['each']>) => marking(test.each(...table) as never);
  return Object.assign(marking(test), { each }) as unknown as Test;
}

/** Registers nothing. */
function none(): Test {
  const nothing = Object.assign(() => {}, { each: () => () => {} });
  return nothing as unknown as Test;
}
