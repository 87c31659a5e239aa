import { at, CHANNEL, INVALID_INPUT, RESET, type BadInput } from './bad-input';

const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const good = { timestamp: '2026-10-01T00:00:00Z' };

const TIMESTAMPS: [string, unknown][] = [
  ...[
    null,
    0,
    1_790_000_000_000,
    true,
    '',
    {},
    [],
    ['2026-10-01T00:00:00Z'],
    { $gt: '' },
    'now',
    '0',
    '2026',
    '2026-10',
    '2026-10-01',
    '2026-10-01T00:00Z',
    '2026-10-01T00:00:00',
    '2026-10-01 00:00:00Z',
    '2026-10-01t00:00:00z',
    ' 2026-10-01T00:00:00Z',
    '2026-10-01T00:00:00Z\n',
    '2026-02-29T00:00:00Z',
    '2016-02-30T00:00:00Z',
    '2026-06-31T00:00:00Z',
    '2026-10-01T24:00:00Z',
    '2026-10-01T23:59:60Z',
    '2026-10-01T00:00:00+5',
    '2026-10-01T00:00:00+05:60',
    '2026-10-01T00:00:00 +05:00',
    '2026-10-01T00:00:00,5Z',
    '2015-12-31T23:59:59.999Z',
    '2016-01-01T00:00:00+00:01',
    '1970-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    '\u0662\u0660\u0662\u0666-10-01T00:00:00Z',
  ].map((value): [string, unknown] => [JSON.stringify(value), value]),
  ['an hour ahead', soon(60)],
];

const timestamps = TIMESTAMPS.map(([name, timestamp]) =>
  INVALID_INPUT(`reset: timestamp ${name}`, { timestamp }, 'timestamp'),
);
const withoutTimestamp = [
  ['empty', ''],
  ['an empty object', '{}'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"2026-10-01T00:00:00Z"'],
  ['a number', '1790000000'],
  ['Timestamp', '{"Timestamp":"2026-10-01T00:00:00Z"}'],
  ['the timestamp in data', '{"data":{"timestamp":"2026-10-01T00:00:00Z"}}'],
].map(([name, body]) => INVALID_INPUT(`reset: the body is ${name}`, body, 'timestamp'));

const TYPES = [
  'elevators',
  'Tickets',
  'ticket',
  'TICKETS',
  'tickets%20',
  'tickets%00',
  'all',
  '*',
  '__proto__',
  'constructor',
  'toString',
  '%E0%A4%A',
  '%7B%7D',
  '0',
  'contracts,tickets',
];
const types = TYPES.map((type): BadInput => ({
  ...INVALID_INPUT(`reset: entity type ${type}`, good, 'entity_type'),
  path: `${CHANNEL}/markers/${type}/reset`,
}));

const DRY = [
  'dry_run=',
  'dry_run=yes',
  'dry_run=1',
  'dry_run=TRUE',
  'dry_run=%00',
  'dry_run=true&dry_run=true',
  'dry_run=true&dry_run=false',
  'dry_run=null',
];
const dry = DRY.map((query): BadInput => ({
  ...INVALID_INPUT(`reset: ?${query}`, good, 'dry_run'),
  path: `${RESET}?${query}`,
}));

const list = (name: string, query: string, ...fields: string[]): BadInput => ({
  ...INVALID_INPUT(`${name}?${query}`, undefined, ...fields),
  method: 'GET',
  path: `${CHANNEL}/${name}?${query}`,
});
const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const QUERIES: [string, string[]][] = [
  [
    'limit',
    [
      '',
      '0',
      '-1',
      '201',
      '1000',
      '1.5',
      '1e2',
      '0x10',
      '%2B5',
      '5%20',
      '%00',
      'ten',
      '%D9%A5',
      '1&limit=1',
      'NaN',
      '9'.repeat(400),
    ],
  ],
  ['status', ['', 'done', 'Failed', 'failed,running', '__proto__', 'failed&status=failed', '%00', '*']],
  [
    'entity_type',
    ['', 'elevators', 'Tickets', 'tickets,accounts', 'tickets&entity_type=tickets', '%ff', '{}'],
  ],
  [
    'after',
    [
      '',
      'x',
      '1',
      '%00',
      'null',
      '%F0%9F%8C%BE',
      cursor(null),
      cursor({}),
      cursor([]),
      cursor([1]),
      cursor(['1', 'x']),
      cursor([1.5, 'x']),
      cursor([1, 2]),
      cursor([1, null]),
      cursor([1, { $gt: '' }]),
      cursor([8.65e15, 'x']),
      `${cursor([1, 'x'])}&after=${cursor([1, 'x'])}`,
    ],
  ],
];

// Nothing has no type to be wrong.
const nothing = [
  { name: 'no body and no type', headers: { 'content-type': '' } },
  { name: 'an empty body of another type', headers: { 'content-type': 'text/plain' } },
  { name: 'an empty body that claims to be packed', headers: { 'content-encoding': 'gzip' } },
].map(({ name, headers }) => ({ ...INVALID_INPUT(`reset: ${name}`, '', 'timestamp'), headers, path: RESET }));

export const markers: BadInput[] = [
  ...at([...timestamps, ...withoutTimestamp], { path: RESET }),
  ...nothing,
  ...types,
  ...dry,
  {
    ...INVALID_INPUT('reset: all wrong at once', {}, 'entity_type', 'timestamp', 'dry_run'),
    path: `${CHANNEL}/markers/x/reset?dry_run=x`,
  },
  ...QUERIES.flatMap(([field, values]) =>
    values.map((value) => list('deliveries', `${field}=${value}`, field)),
  ),
  ...QUERIES.filter(([field]) => field === 'limit').flatMap(([field, values]) =>
    values.map((value) => list('elevators', `${field}=${value}`, field)),
  ),
  ...['', '%00', '42-%0A', 'x'.repeat(194), '42-1&after=42-2'].map((value) =>
    list('elevators', `after=${value}`, 'after'),
  ),
  list('elevators', 'limit=0&after=', 'limit', 'after'),
  list('deliveries', 'limit=0&status=x&entity_type=y&after=z', 'entity_type', 'status', 'limit', 'after'),
  list('subscriptions', 'partner_id=1&partner_id=2', 'partner_id'),
].map((input) => ({ ...input, as: 'channel' as const }));
