import { readValue } from '../../client/push/read-value';
import { checkBaseUrl, checkCallbackOrigin, checkNotifyUrl } from '../../domain/settings/base-url';
import { callbackUrl, displayName, partnerId } from '../../domain/consent/link-parts';
import { nameOfClaims } from '../../domain/settings/operators-provider';
import { forCustomers } from '../../domain/deliveries/for-customers';
import { parseInstant } from '../../domain/time/instants';
import { masked, plain } from '../../domain/text/masked';
import { legible, trimmed } from '../../domain/text/pasted-text';
import { parsePhone } from '../../domain/text/parse-phone';
import { readPassedField } from '../../domain/records/passed-field';
import { parseRetryAfter } from '../../domain/deliveries/retry-delay';
import { FORMATS } from '../../domain/records/schemas/formats';
import { valueOf } from '../../outbound/send-request';
import { setFlagsFromString } from 'node:v8';

const HABITS = {
  dates: ['MM/DD/YYYY HH:mm'],
  time_zone: 'America/Chicago',
  numbers: { decimal_char: '.', group_char: ',' },
  area_code: '701',
};
const RULE = { production: true, outboundAllow: [], outboundPorts: [443] };

// Whatever is asked of a text that somebody else has written.
const QUESTIONS: Record<string, (text: string) => unknown> = {
  'a base URL': (text) => checkBaseUrl(text, RULE),
  'a notification address': (text) => checkNotifyUrl(text, RULE),
  'a callback origin': (text) => checkCallbackOrigin(text, RULE),
  'where a farmer returns to': (text) => callbackUrl(text, ['https://acme.example']),
  'a name in a link': displayName,
  'a partner_id': partnerId,
  'a name of the provider': (email) => nameOfClaims({ email, sub: email }),
  'a phone': parsePhone,
  'a pasted text': trimmed,
  'a pasted code': legible,
  'a printed text': plain,
  'a masked text': masked,
  'a passed field': readPassedField,
  'a Retry-After': (text) => parseRetryAfter(text, 0),
  'a value of a header': (text) => valueOf([text]),
  'an instant': parseInstant,
  'a failure for customers': forCustomers,
  ...Object.fromEntries(
    (['number', 'figure', 'flag', 'instant', 'day', 'phone', 'id'] as const).map((kind) => [
      `a cell that holds a ${kind}`,
      (text: string) => readValue(kind, text, text, HABITS),
    ]),
  ),
  ...Object.fromEntries(Object.entries(FORMATS).map(([name, test]) => [`the format ${name}`, test])),
};

const BEFORE = ['', 'https://acme.example', '+1'];
const REPEATED = [
  '/',
  ' ',
  '\t',
  '.',
  '-',
  'a',
  '1',
  '(',
  ',',
  '@',
  'a.',
  ' \u200b',
  '/ ',
  'gdx_erp_',
  ', then gdx ',
  ' x',
];

const LENGTH = 65_536;
const TEXTS: [name: string, text: string][] = [
  ...REPEATED.map((one): [string, string] => [`${one}...`, `${one.repeat(LENGTH / one.length)}x`]),
  // Two kinds of combining marks, each of which belongs before the other ones.
  ['marks', '\u0301'.repeat(LENGTH / 2) + '\u0316'.repeat(LENGTH / 2)],
];

describe('64 KiB of one thing', () => {
  // As V8 compiles patterns in a process that has compiled many, and at first in none: there each step is taken.
  beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
  afterAll(() => setFlagsFromString('--regexp-optimization'));

  // Quadratic work takes seconds of CPU, anything else milliseconds. The clock would count what else runs here.
  it.each(Object.entries(QUESTIONS))('are read in no time as %s', (_name, ask) => {
    const slow = BEFORE.flatMap((start) =>
      TEXTS.filter(([, text]) => {
        const before = process.cpuUsage();
        ask(start + text);
        const { user, system } = process.cpuUsage(before);
        return user + system > 500_000;
      }).map(([name]) => start + name),
    );
    expect(slow).toEqual([]);
  });
});
