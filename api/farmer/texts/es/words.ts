const days = new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` in words. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const dayIn = (timeZone = 'UTC') => new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeZone });
/** "24 de noviembre de 2026, 3:04 p.m. hora central" */
const momentIn = (timeZone: string) =>
  new Intl.DateTimeFormat('es-US', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...{ timeZoneName: 'longGeneric', timeZone },
  });

const listed = new Intl.ListFormat('es-US', { style: 'long', type: 'conjunction' });

const number = new Intl.NumberFormat('es-US');
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
export const spanish = { day, dayIn, momentIn, listed, number, count, all, interval };
