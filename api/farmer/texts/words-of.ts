/** Days, instants, lists and numbers, as they are written where `locale` is spoken. */
export function wordsOf(locale: string) {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    /** `2027-11-22` in words. */
    day: (text: string) => days.format(new Date(`${text}T00:00:00Z`)),
    /** "November 24, 2026 at 3:04 PM Central Time" */
    momentIn: (timeZone: string) =>
      new Intl.DateTimeFormat(locale, {
        ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
        ...{ timeZoneName: 'longGeneric', timeZone },
      }),
    listed: new Intl.ListFormat(locale, { style: 'long', type: 'conjunction' }),
    number: new Intl.NumberFormat(locale),
  };
}
