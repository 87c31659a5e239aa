import { type SignedValues, signLink, whyRefused } from '../../domain/consent/link-signature';

const KEY = 'key of acme';
const EXPIRES_S = 1_785_000_000;
const link: SignedValues = {
  callback_url: 'https://acme.example/back?x=1',
  display_name: 'Acme Crop',
  partner_id: '1001',
  partner_slug: 'acme',
  phone: '7015550134',
  expires: String(EXPIRES_S),
};
// By `openssl dgst -sha256 -hmac` over `gdx-link-v1` and the values, one a line.
const SIGNATURE = 'ab298c3baef128eff24881c1609e610d79799b56b5333234db441ff66b04b269';

const refused = (values: SignedValues, signature = signLink(KEY, values)!, nowS = EXPIRES_S) =>
  whyRefused(['another key', KEY], values, signature, nowS * 1_000);

test('the signature covers each value, one a line, in one order', () => {
  expect(signLink(KEY, link)).toBe(SIGNATURE);
  for (const name of Object.keys(link) as (keyof SignedValues)[])
    expect(refused({ ...link, [name]: `${link[name]}0` }, SIGNATURE)).toBe('unsigned');
});

test.each(['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone', 'expires'] as const)(
  'a line feed in %s cannot be signed',
  (name) => {
    const values = { ...link, [name]: `a\n${link[name]}` };
    expect(signLink(KEY, values)).toBeUndefined();
    for (const signature of ['', SIGNATURE]) expect(refused(values, signature)).toBe('unsigned');
  },
);

test('any of the keys may have signed it, in either case', () => {
  expect(refused(link, SIGNATURE)).toBeUndefined();
  expect(refused(link, SIGNATURE.toUpperCase())).toBeUndefined();
  expect(whyRefused(['another key'], link, SIGNATURE, 0)).toBe('unsigned');
  expect(whyRefused([], link, SIGNATURE, 0)).toBe('unsigned');
});

test.each(['', 'x', SIGNATURE.slice(1), `${SIGNATURE}0`, SIGNATURE.replace(/^./, 'g')])(
  '%j is no signature of it',
  (signature) => expect(refused(link, signature)).toBe('unsigned'),
);

test('it expires five minutes after its end, if it is genuine', () => {
  expect(refused(link, SIGNATURE, EXPIRES_S + 300)).toBeUndefined();
  expect(refused(link, SIGNATURE, EXPIRES_S + 301)).toBe('over');
  expect(refused(link, 'x', EXPIRES_S + 301)).toBe('unsigned');
});

test.each(['', '1e9', '-1', ' 1785000000', '1785000000 ', '0x6a', '1234567890123'])(
  'signed with the end %j, it is refused',
  (expires) => expect(refused({ ...link, expires })).toBe('unsigned'),
);

test('an end of up to twelve digits is one', () => {
  expect(refused({ ...link, expires: '123456789012' })).toBeUndefined();
  expect(refused({ ...link, expires: '7' })).toBe('over');
});
