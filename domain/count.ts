/** "1 record", "12,304 records", "2 deliveries" */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : many}`;
}

/** "at least 12,304 records" where counting was cut off */
export const atLeast = (counted: string, isCutOff = false) => (isCutOff ? `at least ${counted}` : counted);
