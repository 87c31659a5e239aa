import { parsePhone } from '../../domain/parse-phone';

test.each([
  '7015550134',
  '701-555-0134',
  '(701) 555-0134',
  ' 701.555.0134 ',
  '701\u2010555\u20150134',
  '+1 701 555 0134',
  '1-701-555-0134',
  '+17015550134',
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
  '701/555/0134',
  'x7015550134',
  '117015550134',
  '7015550134 ext 1',
])('%j is none', (typed) => expect(parsePhone(typed)).toBeUndefined());

test('a number that begins with 1 keeps it', () => expect(parsePhone('1015550134')).toBe('1015550134'));
