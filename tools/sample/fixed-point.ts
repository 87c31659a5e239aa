/** 98214 hundredths of a bushel as the JSON number 982.14. */
export function fromHundredths(hundredths: number): number {
  return hundredths / 100;
}

/** 982.14 as 98214, so that sums are exact. */
export function toHundredths(value: number): number {
  return Math.round(value * 100);
}

/** Money and prices as decimal text: -4500 with 4 places is "-0.4500". */
export function decimalText(scaled: number, places: number): string {
  const digits = String(Math.abs(scaled)).padStart(places + 1, '0');
  return `${scaled < 0 ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
