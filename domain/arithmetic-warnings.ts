import { exceeds, formatDecimal, minus, parseDecimal, plus, ZERO, type Decimal } from './decimal';
import type { RecordType } from './commands';

type Fields = Readonly<Record<string, unknown>>;

// Every figure of a sum may have been rounded to hundredths by the ERP (bushels, percents, cents), which puts half a
// hundredth into the sum. Scale weights are read, not rounded, but may come as floats: the same allowance covers those.
const ROUNDING_IN_THOUSANDTHS = 5;

/** Sums of a record that do not add up (records.md): for the log and `gdx`, never a reason to refuse it. */
export function arithmeticWarnings(type: RecordType, record: Fields): string[] {
  switch (type) {
    case 'tickets':
      return told([weights(record), units(record), splits(record)]);
    case 'settlements':
      return told([units(record), amounts(record)]);
    default:
      return [];
  }
}

function weights({ gross_weight, tare_weight, net_weight }: Fields): string | undefined {
  const [gross, tare, net] = [gross_weight, tare_weight, net_weight].map(parseDecimal);
  if (!gross || !tare || !net) return undefined;
  return mismatch('net_weight is not gross_weight - tare_weight', minus(net, minus(gross, tare)), 3);
}

/** Without shrink or dockage nothing was taken off. */
function units({ gross_units, shrink_units, dockage_units, net_units }: Fields): string | undefined {
  const [gross, net] = [gross_units, net_units].map(parseDecimal);
  if (!gross || !net) return undefined;
  const [shrink, dockage] = [shrink_units, dockage_units].map((value) => parseDecimal(value) ?? ZERO);
  const difference = minus(net, minus(minus(gross, shrink!), dockage!));
  return mismatch('net_units is not gross_units - shrink_units - dockage_units', difference, 4);
}

/** Splits may also be given in units alone. */
function splits({ splits: list }: Fields): string | undefined {
  const shares = figures(list, 'split_percent');
  if (!shares?.length) return undefined;
  const difference = minus(sum(shares), { units: 100n, scale: 0 });
  return mismatch('splits do not sum to 100 percent', difference, shares.length);
}

function amounts({ lines, adjustments, net_amount }: Fields): string | undefined {
  const net = parseDecimal(net_amount);
  const parts = [figures(lines, 'amount'), figures(adjustments ?? [], 'amount')];
  if (!net || !parts[0]?.length || !parts[1]) return undefined;
  const all = parts.flatMap((list) => list ?? []);
  return mismatch('net_amount is not the sum of lines and adjustments', minus(net, sum(all)), all.length + 1);
}

/** One figure of each item, or undefined when it is no list or an item lacks it: then there is no sum to check. */
function figures(list: unknown, key: string): Decimal[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = list.map((item: Fields) => parseDecimal(item[key]));
  return found.every((figure) => figure !== undefined) ? found : undefined;
}

function sum(decimals: readonly Decimal[]): Decimal {
  return decimals.reduce(plus, ZERO);
}

function mismatch(what: string, difference: Decimal, figuresInSum: number): string | undefined {
  if (!exceeds(difference, figuresInSum * ROUNDING_IN_THOUSANDTHS)) return undefined;
  return `${what} (off by ${formatDecimal(difference)})`;
}

function told(warnings: readonly (string | undefined)[]): string[] {
  return warnings.filter((warning) => warning !== undefined);
}
