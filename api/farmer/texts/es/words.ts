import { wordsOf } from '../words-of';

const words = wordsOf('es-US');
const { listed, number } = words;

const count = (accounts: number) => (accounts === 1 ? '1 cuenta' : `${number.format(accounts)} cuentas`);

/** "A, B y otros 2" */
const all = (names: string[], others: number) =>
  listed.format(others === 0 ? names : [...names, others === 1 ? 'otro' : `otros ${others}`]);

/** Less than two hours is in minutes, except one hour. */
function interval(milliseconds: number): string {
  const [amount, unit] =
    milliseconds >= 7_200_000 || milliseconds === 3_600_000
      ? [milliseconds / 3_600_000, 'hora']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minuto']
        : [milliseconds / 1_000, 'segundo'];
  const rounded = Math.round(amount);
  return rounded === 1 ? unit : `${rounded} ${unit}s`;
}

/** Days, counts and lists, as they read in Spanish. */
export const spanish = { ...words, count, all, interval };
