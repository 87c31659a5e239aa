import { checkBaseUrl } from '../../domain/base-url';

const development = { production: false, outboundAllow: [] };
const production = { production: true, outboundAllow: [] };

describe('a base URL', () => {
  it.each([
    ['https://acme.example', 'https://acme.example'],
    ['https://acme.example/in/', 'https://acme.example/in'],
    ['https://ACME.example:8443', 'https://acme.example:8443'],
    ['https://8.8.8.8', 'https://8.8.8.8'],
    ['https://[2606:4700::1111]/x', 'https://[2606:4700::1111]/x'],
  ])('%s is kept as %s everywhere', (text, baseUrl) => {
    expect(checkBaseUrl(text, development)).toEqual({ baseUrl });
    expect(checkBaseUrl(text, production)).toEqual({ baseUrl });
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
    ['https://user:key@acme.example', /must not carry a user/],
    ['https://acme.example/?a=1', /query or a fragment/],
    ['https://acme.example/#', /query or a fragment/],
    ['http://10.0.0.1', /10\.0\.0\.1, which is not a public address/],
    ['http://0.0.0.0', /not a public address/],
    ['http://0/', /not a public address/],
    ['http://169.254.169.254', /not a public address/],
    ['http://100.64.0.1', /not a public address/],
    ['http://[fd00::1]', /not a public address/],
    ['http://[::ffff:10.0.0.1]', /not a public address/],
    ['http://[64:ff9b::a00:1]', /not a public address/],
  ])('%s is refused everywhere', (text, problem) => {
    expect(checkBaseUrl(text, development)).toEqual({ problem: expect.stringMatching(problem) });
    expect(checkBaseUrl(text, production)).toEqual({ problem: expect.any(String) });
  });

  it('may point to addresses that are allowed, of the same family', () => {
    const rules = { production: false, outboundAllow: ['fd00::/8', '10.1.0.0/16'] };
    expect(checkBaseUrl('http://10.1.2.3', rules)).toEqual({ baseUrl: 'http://10.1.2.3' });
    expect(checkBaseUrl('http://10.2.2.3', rules)).toHaveProperty('problem');
  });
});
