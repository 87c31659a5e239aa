import type { TObject, TSchema } from '@sinclair/typebox';
import { Big } from 'big.js';
import { COMMANDS, type RecordType } from './commands';
import { sayMeant } from './meant-field';
import { MisspeltFields } from './misspelt-fields';
import { digitsOfPhone } from '../text/parse-phone';

type Fields = Readonly<Record<string, unknown>>;

/** A suspicious value in a field of a record. It is never a reason to refuse the record (docs/contract.md E10). */
export interface RecordWarning {
  /** The path of the field: `net_weight`, `splits[0].disposition`. */
  readonly field: string;
  readonly message: string;
}

/** The warning as a sentence: `net_weight is not gross_weight - tare_weight (off by -20)`. */
export const sayWarning = ({ field, message }: RecordWarning) => `${field} ${message}`;

/**
 * All warnings about a record: misspelt fields first, then unknown values, wrong sums, and impossible phones.
 * @param names one for all records of a push or of a company
 */
export function recordWarnings(
  type: RecordType,
  record: Fields,
  names = new MisspeltFields(),
): RecordWarning[] {
  const misspelt = names
    .in(type, record)
    .map(({ path, near }) => ({ field: path, message: sayMeant({ lists: [], near }) }));
  const phones = type === 'accounts' ? present([phoneOfNobody(record)]) : [];
  return [...misspelt, ...unknownValues(type, record), ...arithmeticWarnings(type, record), ...phones];
}

/** The fields of a record type, or of the items in one of its lists, that have known values. */
interface Choices {
  readonly list?: string;
  readonly fields: readonly { readonly name: string; readonly known: readonly unknown[] }[];
}

const CHOICES = new Map<RecordType, readonly Choices[]>(
  COMMANDS.map(({ recordType, schema }) => [recordType, choicesOf(schema)]),
);

/** Warns of unknown values in fields with known values. Such values are stored and fed unchanged. */
export function unknownValues(type: RecordType, record: Fields): RecordWarning[] {
  return CHOICES.get(type)!.flatMap(({ list, fields }) => {
    const items = list === undefined ? [record] : record[list];
    if (!Array.isArray(items)) return [];
    return fields.flatMap(({ name, known }) => {
      // Only the first of a list counts. A body may have a million, and one shows the ERP's word for it.
      const at = items.findIndex(
        (item: Fields) => typeof item[name] === 'string' && !known.includes(item[name]),
      );
      if (at < 0) return [];
      const field = `${list === undefined ? '' : `${list}[${at}].`}${name}`;
      return { field, message: `is none of ${known.join(', ')}` };
    });
  });
}

function choicesOf(schema: TObject): Choices[] {
  const lists = Object.entries(schema.properties).flatMap(([list, { items }]) =>
    items ? [{ list, fields: fieldsOf(items as TObject) }] : [],
  );
  return [{ fields: fieldsOf(schema) }, ...lists].filter(({ fields }) => fields.length > 0);
}

function fieldsOf(schema: TObject): Choices['fields'] {
  const fields = Object.entries<TSchema>(schema.properties);
  return fields.flatMap(([name, { examples }]) =>
    Array.isArray(examples) ? [{ name, known: examples }] : [],
  );
}

// The ERP may have rounded every figure of a sum to hundredths (bushels, percents, cents), which adds up to half a
// hundredth per figure. Scale weights are not rounded, but may be floats: the same allowance covers them.
const ROUNDING = 0.005;

// Decimals, and doubles as JavaScript writes them: 1e+21. Longer figures are left out: no scale shows them, and adding
// them up would take long.
const DECIMAL = /^-?\d{1,30}(\.\d{1,30})?(e[+-][12]?\d)?$/;

// A smaller double is a decimal as JavaScript writes it, or below a ten-millionth: then it is no figure of a scale, and adds nothing.
const WRITTEN_OUT = 1e21;

/** A JSON number or a decimal string. */
export type Figure = number | string;

/** The sums of a record that do not add up. */
export function arithmeticWarnings(type: RecordType, record: Fields): RecordWarning[] {
  switch (type) {
    case 'tickets':
      return present([weights(record), units(record), splits(record)]);
    case 'settlements':
      return present([units(record), amounts(record)]);
    default:
      return [];
  }
}

/** Warns of the first phone that nobody can have. */
function phoneOfNobody({ phones }: Fields): RecordWarning | undefined {
  if (!Array.isArray(phones)) return undefined;
  const at = phones.findIndex(({ phone }: Fields) => digitsOfPhone(String(phone)) === undefined);
  const message = 'is neither ten digits nor eleven with a leading 1: no farmer is found by it';
  return at === -1 ? undefined : { field: `phones[${at}].phone`, message };
}

function weights({ gross_weight, tare_weight, net_weight }: Fields): RecordWarning | undefined {
  if (!isFigure(gross_weight) || !isFigure(tare_weight) || !isFigure(net_weight)) return undefined;
  const off = offBy([net_weight, tare_weight], [gross_weight], 3);
  return off && mismatch('net_weight', 'is not gross_weight - tare_weight', off);
}

/** What is lacking of shrink and dockage counts as zero, or as whatever the net is smaller by. */
function units({ gross_units, shrink_units, dockage_units, net_units }: Fields): RecordWarning | undefined {
  if (!isFigure(gross_units) || !isFigure(net_units)) return undefined;
  const taken = [shrink_units, dockage_units].filter(isFigure);
  const off = offBy([net_units, ...taken], [gross_units], 4);
  if (!off || (taken.length < 2 && off.lt(0))) return undefined;
  return mismatch('net_units', 'is not gross_units - shrink_units - dockage_units', off);
}

/** Splits may also be given in units only. */
function splits({ splits: list }: Fields): RecordWarning | undefined {
  const shares = figures(list, 'split_percent');
  const off = shares?.length ? offBy(shares, [100], shares.length) : undefined;
  return off && mismatch('splits', 'do not sum to 100 percent', off);
}

// They pay a part of what their lines come to.
const IN_PARTS: unknown[] = ['advance', 'deferred', 'installment'];

/** A total stands in for a list that is left out. What is withheld as tax is not paid, and may be among the adjustments already. */
function amounts(record: Fields): RecordWarning | undefined {
  const { lines, gross_amount, adjustments, adjustments_amount, tax_amount, net_amount } = record;
  if (IN_PARTS.includes(record['kind'])) return undefined;
  const gross = figures(itemsOf(lines, gross_amount), 'amount');
  const adjusted = figures(itemsOf(adjustments, adjustments_amount), 'amount');
  const withheld = figures(itemsOf(undefined, tax_amount), 'amount');
  if (!isFigure(net_amount) || !gross?.length || !adjusted || !withheld) return undefined;
  const due = [...gross, ...adjusted];
  const count = due.length + withheld.length + 1;
  const less = offBy([net_amount, ...withheld], due, count);
  const taxed = Array.isArray(adjustments) && adjustments.some((one: Fields) => one['class'] === 'grain_tax');
  const whole = taxed ? offBy([net_amount], due, count) : less;
  if (!less || !whole) return undefined;
  const least = whole.abs().lt(less.abs()) ? whole : less;
  const what = `is not the sum of lines and adjustments${withheld.length > 0 ? ' less tax_amount' : ''}`;
  const isUntold = adjustments == null && adjustments_amount == null && tax_amount == null;
  if (isUntold && least.lt(0)) return undefined; // what was taken off is not in the file
  return mismatch('net_amount', what, least);
}

/** The items of a list; where it has none, its total as the only one. */
function itemsOf(list: unknown, total: unknown): unknown {
  if (list != null && !(Array.isArray(list) && list.length === 0)) return list;
  return total == null ? [] : [{ amount: total }];
}

/** One figure of each item. Undefined when `list` is not a list or an item lacks the figure; then no sum is checked. */
function figures(list: unknown, key: string): Figure[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = list.map((item: Fields) => item[key]);
  return found.every(isFigure) ? found : undefined;
}

export function isFigure(value: unknown): value is Figure {
  if (typeof value === 'number' && Math.abs(value) < WRITTEN_OUT) return true;
  return (typeof value === 'number' || typeof value === 'string') && DECIMAL.test(String(value));
}

/**
 * The sum of some figures less that of others. With doubles alone, 0.1 + 0.2 would cause a false alarm; exact figures take ten times
 * as long, and are added up only where doubles leave a doubt.
 * @param count of the figures that may have been rounded
 * @returns undefined when it is no more than their rounding
 */
function offBy(plus: readonly Figure[], minus: readonly Figure[], count: number): Big | undefined {
  let [sum, size] = [0, 0];
  for (const figure of plus) [sum, size] = [sum + Number(figure), size + Math.abs(Number(figure))];
  for (const figure of minus) [sum, size] = [sum - Number(figure), size + Math.abs(Number(figure))];
  // Reading a figure, and each addition, errs by at most this part of the size.
  const error = size * Number.EPSILON * (plus.length + minus.length + 1);
  if (Math.abs(sum) + error < ROUNDING * count) return undefined;
  const exact = (figures: readonly Figure[]) =>
    figures.reduce<Big>((total, figure) => total.plus(figure), new Big(0));
  const off = exact(plus).minus(exact(minus));
  return off.abs().lte(new Big(ROUNDING).times(count)) ? undefined : off;
}

const mismatch = (field: string, what: string, off: Big): RecordWarning => ({
  field,
  message: `${what} (off by ${off.toFixed()})`,
});

function present(warnings: readonly (RecordWarning | undefined)[]): RecordWarning[] {
  return warnings.filter((warning) => warning !== undefined);
}
