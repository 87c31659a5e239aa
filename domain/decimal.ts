/** An exact decimal: `units` times ten to the minus `scale`. Doubles would make 0.1 + 0.2 a false alarm. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d{1,3}))?$/;

/** A JSON number or a decimal string (records.md), or undefined for anything else. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const parts = DECIMAL.exec(String(value));
  if (!parts) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const scale = fraction.length - Number(exponent);
  const units = BigInt(sign + whole + fraction);
  // JavaScript writes doubles like 1e21 so; no exponent of theirs has more than three digits.
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

export function minus(one: Decimal, other: Decimal): Decimal {
  return plus(one, { units: -other.units, scale: other.scale });
}

export function plus(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: scaled(one, scale) + scaled(other, scale), scale };
}

/** Whether the size of `decimal` is more than `thousandths`. */
export function exceeds(decimal: Decimal, thousandths: number): boolean {
  const scale = Math.max(decimal.scale, 3);
  const units = scaled(decimal, scale);
  return (units < 0n ? -units : units) > scaled({ units: BigInt(thousandths), scale: 3 }, scale);
}

export function formatDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return (units < 0n ? '-' : '') + text;
}

function scaled({ units, scale }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - scale);
}
