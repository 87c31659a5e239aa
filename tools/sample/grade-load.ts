import type { Commodity } from './commodities';
import { decimalText, fromHundredths, toHundredths } from './fixed-point';
import type { Factor } from './grade-factor';
import type { Random } from './random';

/** What the probe said of one load, and what that does to its bushels (hundredths) and its price (cents a bushel). */
export interface Grading {
  grade: string;
  factors: GradeFactor[];
  grossUnits: number;
  shrinkUnits: number;
  dockageUnits: number;
  netUnits: number;
  premiumCents: number;
  discountCents: number;
}

export type GradeFactor = ReturnType<typeof gradeFactor>;

/** Shrink is 1.4 % a point of moisture over base; dockage, in tenths of a percent, is taken as measured. */
export function gradeLoad(
  random: Random,
  commodity: Commodity,
  netWeight: number,
  averages: number[],
): Grading {
  const factors = commodity.factors.map((factor, index) =>
    gradeFactor(commodity, factor, draw(random, factor, averages[index]!)),
  );
  const docked = (code: string) => factors.find((factor) => factor.code === code)?.dockage_value ?? 0;
  const grossUnits = Math.round((netWeight * 100) / commodity.poundsPerBushel);
  const shrinkUnits = Math.round((grossUnits * docked('MO')) / 100);
  const dockageUnits = Math.round((grossUnits * docked('DKG')) / 100);
  const { premiumCents, discountCents } = priceEffect(factors);
  return {
    grade: gradeOf(commodity, factors),
    factors,
    grossUnits,
    shrinkUnits,
    dockageUnits,
    netUnits: grossUnits - shrinkUnits - dockageUnits,
    premiumCents,
    discountCents,
  };
}

/** No discount is the best grade, more than five cents the third. */
export function gradeOf(commodity: Commodity, factors: GradeFactor[]): string {
  const { discountCents } = priceEffect(factors);
  return commodity.grades[discountCents === 0 ? 0 : discountCents > -6 ? 1 : 2];
}

function priceEffect(factors: GradeFactor[]): Pick<Grading, 'premiumCents' | 'discountCents'> {
  const cents = factors.map((factor) => toHundredths(Number(factor.premium_discount_value)));
  return {
    premiumCents: sum(cents.filter((value) => value > 0)),
    discountCents: sum(cents.filter((value) => value < 0)),
  };
}

/** `dockage_value` in percent of the load, `premium_discount_value` in dollars a bushel. */
export function gradeFactor(commodity: Commodity, factor: Factor, result: number) {
  return {
    code: factor.code,
    name: factor.name,
    result,
    result_uom: factor.uom,
    dockage_value: percentDocked(commodity, factor, result),
    premium_discount_value: decimalText(factor.cents?.(result) ?? 0, 2),
  };
}

function percentDocked(commodity: Commodity, factor: Factor, result: number): number {
  if (factor.code === 'DKG') return result;
  if (factor.code !== 'MO' || result <= commodity.baseMoisture) return 0;
  return fromHundredths(14 * Math.round((result - commodity.baseMoisture) * 10));
}

function draw(random: Random, { deviation, lowest, highest, places }: Factor, average: number): number {
  const result = Math.min(highest, Math.max(lowest, random.normal(average, deviation / 4)));
  return Number(result.toFixed(places));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
