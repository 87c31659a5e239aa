import { decimalText, fromHundredths } from './fixed-point';
import type { PaidLine } from './paid-line';

const DRYING_CENTS_A_POINT = 4.5;

/** Premiums and discounts by grade, drying of wet corn and the checkoff: signed cents beside each record. */
export function adjustments(lines: PaidLine[], grossCents: number) {
  const [{ grain }] = lines as [PaidLine];
  const { commodity } = grain.haul;
  const premium = weigh(lines, (line) => line.grain.grading.premiumCents);
  const discount = weigh(lines, (line) => line.grain.grading.discountCents);
  const drying =
    commodity.name === 'corn' ? weigh(lines, (line) => -DRYING_CENTS_A_POINT * pointsOver(line)) : 0;
  const made = [
    adjustment('premium', 'Grade premiums', premium, lines),
    adjustment('discount', 'Grade discounts', discount, lines),
    adjustment('drying', 'Drying, 4.5 cents a point', drying, lines),
    checkoff(lines, grossCents),
  ];
  return made.filter(({ cents }) => cents !== 0);
}

function adjustment(kind: string, description: string, cents: number, lines: PaidLine[]) {
  const units = netUnits(lines);
  const rate = decimalText(Math.round((cents * 10_000) / units), 4);
  return { cents, record: record(kind, description, 'per_unit', rate, units, cents) };
}

/** A share of the value (soybeans) or so much a bushel (the others), always taken off. */
function checkoff(lines: PaidLine[], grossCents: number) {
  const { description, basis, tenThousandths } = lines[0]!.grain.haul.commodity.checkoff;
  const units = netUnits(lines);
  const base = basis === 'percent' ? grossCents : units;
  const cents = -Math.round((base * tenThousandths) / 10_000);
  const rate = basis === 'percent' ? decimalText(-tenThousandths, 2) : decimalText(-tenThousandths, 4);
  return { cents, record: record('checkoff', description, basis, rate, units, cents) };
}

function record(
  kind: string,
  description: string,
  basis: string,
  rate: string,
  units: number,
  cents: number,
) {
  return {
    class: kind,
    description,
    basis,
    rate,
    units: fromHundredths(units),
    amount: decimalText(cents, 2),
  };
}

/** Cents a bushel of each line over its bushels, to the whole cent. */
function weigh(lines: PaidLine[], centsPerBushel: (line: PaidLine) => number): number {
  return lines.reduce(
    (sum, line) => sum + Math.round((centsPerBushel(line) * line.grain.placement.units) / 100),
    0,
  );
}

function pointsOver({ grain }: PaidLine): number {
  const moisture = grain.grading.factors.find(({ code }) => code === 'MO')!.result;
  return Math.max(0, moisture - grain.haul.commodity.baseMoisture);
}

function netUnits(lines: PaidLine[]): number {
  return lines.reduce((sum, { grain }) => sum + grain.placement.units, 0);
}
