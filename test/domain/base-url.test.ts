import { checkBaseUrl, checkNotifyUrl } from '../../domain/settings/base-url';

const development = { production: false, outboundAllow: [], outboundPorts: [443, 8443] };
const production = { production: true, outboundAllow: [], outboundPorts: [443, 8443] };

describe('a base URL', () => {
  it.each([
    ['https://acme.example', 'https://acme.example'],
    ['https://acme.example/in/', 'https://acme.example/in'],
    ['https://acme.example/a/in//', 'https://acme.example/a/in'],
    ['https://ACME.example:8443', 'https://acme.example:8443'],
    ['https://8.8.8.8', 'https://8.8.8.8'],
    ['https://[2606:4700::1111]/x', 'https://[2606:4700::1111]/x'],
  ])('%s is kept as %s everywhere', (text, baseUrl) => {
    expect(checkBaseUrl(text, development)).toEqual({ baseUrl });
    expect(checkBaseUrl(text, production)).toEqual({ baseUrl });
  });

  it.each([
    ['https://acme.example/hook/', 'https://acme.example/hook/'],
    ['https://ACME.example/hook', 'https://acme.example/hook'],
    ['https://[2606:4700::ABCD]', 'https://[2606:4700::abcd]/'],
  ])('keeps, as a notification address, the path of %s', (text, notifyUrl) =>
    expect(checkNotifyUrl(text, production)).toEqual({ notifyUrl }),
  );

  it.each(['https://user@acme.example', 'https://acme.example/?a=1', 'http://acme.example'])(
    'is not a notification address either: %s',
    (text) => expect(checkNotifyUrl(text, production)).toEqual(checkBaseUrl(text, production)),
  );

  it('has at most 2,048 characters', () => {
    const long = (length: number) => `https://acme.example/${'a'.repeat(length - 21)}`;
    expect(checkBaseUrl(long(2_048), production)).toEqual({ baseUrl: long(2_048) });
    expect(checkBaseUrl(long(2_049), production)).toEqual({ problem: 'is longer than 2,048 characters' });
  });

  it('has one of the ports that are allowed in production', () => {
    const ported = (port: number, rule = production) => checkBaseUrl(`https://acme.example:${port}`, rule);
    expect(ported(9443)).toEqual({
      problem: 'must use port 443 or 8443, not 9443 (GDX_OUTBOUND_PORTS)',
    });
    expect(ported(9443, { ...production, outboundPorts: [9443] })).toHaveProperty('baseUrl');
    expect(ported(443, { ...production, outboundPorts: [9443] })).toHaveProperty('problem');
    expect(ported(9443, development)).toHaveProperty('baseUrl');
  });

  it.each([
    'http://acme.example',
    'http://127.0.0.1:4000',
    'https://127.9.9.9',
    'http://[::1]:4000',
    'http://localhost:4000',
    'http://0x7f.1',
    'http://[::ffff:127.0.0.1]',
  ])('%s is for development only', (text) => {
    expect(checkBaseUrl(text, development)).toHaveProperty('baseUrl');
    expect(checkBaseUrl(text, production)).toHaveProperty('problem');
  });

  it.each([
    ['acme.example', /not a URL/],
    ['ftp://acme.example', /must begin with https/],
    ['https://user@acme.example', /must not carry a user/],
    ['https://:key@acme.example', /must not carry a user/],
    ['https://user:key@acme.example', /must not carry a user/],
    ['https://acme.example/?a=1', /query or a fragment/],
    ['https://acme.example/#', /query or a fragment/],
    ['http://10.0.0.1', /points to 10\.0\.0\.1, a private address: customer URLs must be public/],
    ['http://0.0.0.0', /customer URLs must be public/],
    ['http://0/', /customer URLs must be public/],
    ['http://169.254.169.254', /customer URLs must be public/],
    ['http://100.64.0.1', /customer URLs must be public/],
    ['http://[fd00::1]', /customer URLs must be public/],
    ['http://[::ffff:10.0.0.1]', /customer URLs must be public/],
    ['http://[64:ff9b::a00:1]', /customer URLs must be public/],
  ])('%s is refused everywhere', (text, problem) => {
    expect(checkBaseUrl(text, development)).toEqual({ problem: expect.stringMatching(problem) });
    expect(checkBaseUrl(text, production)).toEqual({ problem: expect.any(String) });
  });

  it('is refused in the words of its environment', () => {
    const problem = 'must begin with https://';
    expect(checkBaseUrl('ftp://acme.example', production)).toEqual({ problem });
    expect(checkBaseUrl('ftp://acme.example', development)).toEqual({
      problem: `${problem} (or http:// outside production)`,
    });
  });

  it('may point to addresses that are allowed, of the same family', () => {
    const rules = { ...development, outboundAllow: ['fd00::/8', '10.1.0.0/16'] };
    expect(checkBaseUrl('http://10.1.2.3', rules)).toEqual({ baseUrl: 'http://10.1.2.3' });
    expect(checkBaseUrl('http://10.2.2.3', rules)).toHaveProperty('problem');
  });
});
