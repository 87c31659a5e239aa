import { checkCallbackOrigin } from '../../domain/callback-origin';

it.each([
  ['https://acme.example', 'https://acme.example'],
  ['https://ACME.example:443/', 'https://acme.example'],
])('%s is kept as %s', (text, origin) => {
  expect(checkCallbackOrigin(text, { production: true })).toEqual({ origin });
});

it('http is for development only', () => {
  expect(checkCallbackOrigin('http://127.0.0.1:5000', { production: false })).toHaveProperty('origin');
  expect(checkCallbackOrigin('http://127.0.0.1:5000', { production: true })).toHaveProperty('problem');
});

it.each([
  'acme.example',
  'javascript:alert(1)',
  'https://acme.example/back',
  'https://a@acme.example',
  'https://acme.example/?',
])('%s is refused', (text) =>
  expect(checkCallbackOrigin(text, { production: false })).toHaveProperty('problem'),
);
