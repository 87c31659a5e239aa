import { grantEndOf } from '../../domain/consent/grant-end';
import { readTypedDay } from '../../domain/time/typed-day';
import { TEXTS } from '../../api/farmer/texts/texts';
import { LANGUAGES } from '../../domain/text/language';

test.each([
  ...[
    '2027-12-31',
    '12/31/2027',
    '12-31-2027',
    '12.31.2027',
    '12 31 2027',
    '12 / 31 / 27',
    '１２/３１/２０２７',
  ],
  ...[
    'December 31, 2027',
    'dec 31 2027',
    'Dec. 31st, 2027',
    '31 December 2027',
    'december\u00a031,\u00a02027',
  ],
  ...['31 de diciembre de 2027', '31 diciembre 2027', '31 de Dic. del 2027'],
])('%j is a day', (typed) => expect(readTypedDay(typed)).toBe('2027-12-31'));

test('a month and a day of one digit', () => {
  expect(readTypedDay('1/5/2027')).toBe('2027-01-05');
  expect(readTypedDay('1 de mayo de 2027')).toBe('2027-05-01');
  expect(readTypedDay('ene 2, 2027')).toBe('2027-01-02');
});

test.each(['31/12/2027', '2/30/2027', '13.13.2027', 'x 1, 2027', '', '12/31', 'may', '10/31/20270', '２'])(
  '%j is none',
  (typed) => expect(grantEndOf(readTypedDay(typed))).toBeUndefined(),
);

test.each(LANGUAGES)('each form that a message names is read: %s', (language) => {
  const { end } = TEXTS[language].accounts;
  const [named] = /\d+\/\d+\/\d{4}/.exec(end.malformed)!;
  expect(readTypedDay(named)).toBe('2027-10-31');
  for (let month = 1; month <= 12; month++) {
    const day = `2030-${String(month).padStart(2, '0')}-28`;
    for (const say of [end.past, end.far, end.hint]) {
      const [written] = /\p{L}+ \d+, \d{4}|\d+ de \p{L}+ de \d{4}/u.exec(say(day))!;
      expect([written, readTypedDay(written)]).toEqual([written, day]);
    }
  }
});
