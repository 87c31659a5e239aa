import { digitsOfPhone, parsePhone } from '../../domain/text/parse-phone';
import { pastedForms } from '../setup/pasted';

test.each([
  '7015550134',
  '701-555-0134',
  '(701) 555-0134',
  ' 701.555.0134 ',
  '701\u2010555\u20150134',
  '+1 701 555 0134',
  '1-701-555-0134',
  '+17015550134',
  'tel:+17015550134',
  'TEL:701-555-0134',
  '701/555-0134',
  '701/555/0134',
  '701\u2212555\u20110134',
  '\u202d7015550134\u202c',
  '\u202a(701) 555-0134\u202c',
  '\u2068701-555-0134\u2069',
  '\u200b7015550134',
  '701\u00ad555\u00ad0134',
  '701\u2060555\u20600134',
  '+1-701-555-0134\ufe0e',
  ...pastedForms('+1 (701) 555-0134'),
])('%j is a phone', (typed) => expect(parsePhone(typed)).toBe('7015550134'));

test.each([
  '',
  '701555013',
  '70155501345',
  '+2 701 555 0134',
  '++17015550134',
  '+7015550134',
  '1+7015550134',
  '701555013x',
  'x7015550134',
  'tel:',
  'telx:7015550134',
  'fax:7015550134',
  '701\u200b555\u200b013',
  '117015550134',
  '7015550134 ext 1',
])('%j is none', (typed) => expect(parsePhone(typed)).toBeUndefined());

test('a number that begins with 1 keeps it', () => expect(parsePhone('1015550134')).toBe('1015550134'));

test('64 characters are read as a phone, and 65 are none', () => {
  const padded = (length: number) => '7015550142'.padStart(length);
  expect([64, 65].map((length) => digitsOfPhone(padded(length)))).toEqual(['7015550142', undefined]);
});
