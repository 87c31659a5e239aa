const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` in words. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const dayIn = (timeZone = 'UTC') => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone });
/** "November 24, 2026 at 3:04 PM Central Time" */
const momentIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...{ timeZoneName: 'longGeneric', timeZone },
  });

const listed = new Intl.ListFormat('en-US', { style: 'long', type: 'conjunction' });

const number = new Intl.NumberFormat('en-US');
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
export const english = { day, dayIn, momentIn, listed, number, count, all, interval };
