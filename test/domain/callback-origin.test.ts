import { checkCallbackOrigin } from '../../domain/settings/base-url';

it.each([
  ['https://acme.example', 'https://acme.example'],
  ['https://ACME.example:443/', 'https://acme.example'],
  ['https://[2606:4700::ABCD]:10080', 'https://[2606:4700::abcd]:10080'],
])('%s is kept as %s', (text, origin) => {
  expect(checkCallbackOrigin(text, { production: true })).toEqual({ origin });
});

it('http is for development only', () => {
  expect(checkCallbackOrigin('http://127.0.0.1:5000', { production: false })).toHaveProperty('origin');
  expect(checkCallbackOrigin('http://127.0.0.1:5000', { production: true })).toHaveProperty('problem');
});

const NOT_HTTPS = 'must be an https address like https://acme.example';
const MORE = 'must be scheme, host and port only, like https://acme.example';

it.each([
  ['acme.example', NOT_HTTPS],
  ['javascript:alert(1)', NOT_HTTPS],
  ['ftp://acme.example', NOT_HTTPS],
  ['https://acme.example/back', MORE],
  ['https://a@acme.example', 'must not carry a user'],
  ['https://:pw@acme.example', 'must not carry a user'],
  ['https://acme.example/?', MORE],
])('%s is refused: it %s', (text, problem) =>
  expect(checkCallbackOrigin(text, { production: false })).toEqual({ problem }),
);
