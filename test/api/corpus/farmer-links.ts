import type { BadInput } from './bad-input';

const GOOD = {
  callback_url: 'https://acme.example/back',
  display_name: 'Acme Crop Insurance',
  partner_id: 'policy-7',
  partner_slug: 'acme',
  phone: '7015550142',
};

const page = (name: string, path: string, status = 400, more: Partial<BadInput> = {}): BadInput => ({
  name,
  method: 'GET',
  path,
  as: 'nobody',
  status,
  code: 'PAGE',
  ...more,
});

const link = (name: string, changes: Record<string, string | undefined>, extra = ''): BadInput => {
  const parts = Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined);
  return page(name, `/subscriptions?${new URLSearchParams(parts as [string, string][])}${extra}`);
};

const VALUES: [keyof typeof GOOD, string[]][] = [
  [
    'phone',
    [
      '',
      '701555014',
      '70155501422',
      '701-555-0142',
      '+17015550142',
      '7015550142 ',
      '٧٠١٥٥٥٠١٤٢',
      '701555014a',
      '\u202d7015550142\u202c',
      '7015550142\u00a0',
      '７０１５５５０１４２',
    ],
  ],
  [
    'callback_url',
    [
      '',
      'acme.example',
      '/back',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://evil.example/back',
      'https://acme.example.evil.example/',
      'https://acme.example@evil.example/',
      'http://acme.example/back',
      'https://acme.example:8443/back',
      'https:\\\\acme.example',
      '//acme.example/back',
      'https://acme.example/\r\nSet-Cookie: a=b',
      `https://acme.example/${'x'.repeat(2_100)}`,
    ],
  ],
  [
    'partner_slug',
    ['', 'nobody', 'ACME', '../acme', '{"$ne":null}', 'acme\u0000', 'acme\u200b', 'ac\u00adme', 'acme\u00a0'],
  ],
  ['partner_id', ['', 'x'.repeat(129), 'a\nb', '\ufffd']],
  ['display_name', ['', '   ', '\u200b\u202e']],
];

const STEPS = ['phone', 'code', 'accounts', 'check'];

export const farmerLinks: BadInput[] = [
  page('a link without parameters', '/subscriptions'),
  ...Object.keys(GOOD).map((part) => link(`a link without ${part}`, { [part]: undefined })),
  ...VALUES.flatMap(([part, values]) =>
    values.map((value) => link(`${part} ${JSON.stringify(value).slice(0, 40)}`, { [part]: value })),
  ),
  link('a phone twice', {}, '&phone=7015550142'),
  link('a channel twice', {}, '&partner_slug=acme'),
  ...STEPS.map((step) => page(`${step} without a visit`, `/subscriptions/${step}`, 403)),
  ...STEPS.map((step) =>
    page(`${step} posted without a visit`, `/subscriptions/${step}`, 303, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'csrf=x',
    }),
  ),
  ...['', 'admin', 'phone/', `?${new URLSearchParams(GOOD)}`].map((stray) =>
    page(`a browser at /subscriptions/${stray.slice(0, 8)}`, `/subscriptions/${stray}`, 404, {
      headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
    }),
  ),
  page('a visit that never was', '/subscriptions/phone', 403, {
    headers: { cookie: '__Host-gdx=x; gdx=y; session=z' },
  }),
];
