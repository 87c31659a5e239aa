import { formatInstant } from '../../domain/time/instants';
import type { Store } from '../../store/store';
import { watchRun } from '../model/watch-run';
import { slowTest } from '../setup/cases';
import { RawRecord } from '../../store/window/page-builder';
import { records } from '../../store/records/records';
import { type Call, type Around, rewire } from './rewire';
import { type Scene, withScene } from './scene';

/** Whether a schedule runs the code as it is, or with one rule of it left out. */
export type Rule = 'kept' | 'left out';

/**
 * One schedule, played twice: with the rule nothing may be lost, and without it exactly `lost`. The second half is
 * what makes the first one worth something: it shows that the schedule hits the place. The models (test/model) allow the
 * one run and not the other, which breaks the rule that `mutant` leaves out; null where they do not have the rule.
 */
export function bothHalves(
  title: string,
  schedule: (scene: Scene, rule: Rule) => Promise<string[]>,
  options: { pageSize: number; lost: string[]; mutant: string | null },
): void {
  eachHalf(title, options.lost, async (rule, lost) => {
    await withScene(options.pageSize, async (scene) => {
      const { found, broken } = await watchHalf(scene, () => schedule(scene, rule));
      expect(found).toEqual(lost);
      expectAllowed(rule, broken, options.mutant);
    });
  });
}

/** Plays a half under the eyes of the models. */
export async function watchHalf<T>(
  { store, customer }: Pick<Scene, 'store' | 'customer'>,
  play: () => Promise<T>,
): Promise<{ found: T; broken: readonly string[] }> {
  const { checker, stop } = watchRun(store.client, customer);
  const found = await play().finally(stop);
  expect(checker.steps).toBeGreaterThan(2);
  return { found, broken: checker.broken };
}

export function expectAllowed(rule: Rule, broken: readonly string[], mutant: string | null): void {
  if (rule === 'kept') expect(broken).toEqual([]);
  else if (mutant !== null) expect(broken).toContainEqual(expect.stringMatching(`^${mutant}: `));
}

/** What shows that a schedule can fail is played where there is time for it. */
export function eachHalf(
  title: string,
  wrong: string[],
  expectHalf: (rule: Rule, found: string[]) => Promise<void>,
): void {
  test(title, () => expectHalf('kept', []));
  slowTest(`${title} (rule left out)`, () => expectHalf('left out', wrong));
}

/** The store without one rule, if this is the half without it. */
export const unless = (rule: Rule, store: Store, mutant: Around) =>
  rule === 'kept' ? store : rewire(store, mutant);

/** The ids whose content the customer was not given, in pages it has confirmed since the page numbered `since`. */
export async function missing({ store, customer }: Scene, since = 0): Promise<string[]> {
  const given = new Set(
    customer.pages
      .slice(since)
      .filter(({ status }) => status === 200)
      .flatMap((page) => page.records.map(({ id, updated_at }) => `${id} ${updated_at}`)),
  );
  const all = await records(store, 'tickets').find().sort({ _id: 1 }).toArray();
  return all
    .filter(({ _id, updated_at }) => !given.has(`${_id} ${formatInstant(updated_at)}`))
    .map(({ _id }) => _id.replace(/^42-/, ''));
}

export const isPageRead = ({ collection, method, args }: Call) =>
  collection === 'tickets' && method === 'find' && 'wire' in (args[1]?.['projection'] ?? {});

/** What the read of a page has answered. */
export const pageOf = (answer: unknown): RawRecord[] =>
  (answer as Buffer[]).map((bytes) => new RawRecord(bytes));

/** A move of the marker: past a page, or over positions that hold nothing. */
export const isMove = ({ collection, method, args }: Call) =>
  collection === 'markers' && method === 'updateOne' && 'epoch' in (args[0] ?? {});

export const isReset = ({ collection, method, args }: Call) =>
  collection === 'markers' && method === 'updateOne' && '$min' in (args[1] ?? {});
