import { wordsOf } from '../words-of';

const words = wordsOf('en-US');
const { listed, number } = words;

const count = (accounts: number) => (accounts === 1 ? '1 account' : `${number.format(accounts)} accounts`);

/** "A, B and 2 others" */
const all = (names: string[], others: number) =>
  others === 0
    ? listed.format(names)
    : listed.format([...names, others === 1 ? '1 other' : `${others} others`]);

/** Less than two hours is in minutes, except one hour. */
function interval(milliseconds: number): string {
  const [amount, unit, often] =
    milliseconds >= 7_200_000
      ? [milliseconds / 3_600_000, 'hour', 'hourly']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minute', 'every minute']
        : [milliseconds / 1_000, 'second', 'every second'];
  if (milliseconds === 3_600_000) return 'hourly';
  const rounded = Math.round(amount);
  return rounded === 1 ? often : `every ${rounded} ${unit}s`;
}

/** Days, counts and lists, as they read in English. */
export const english = { ...words, count, all, interval };
