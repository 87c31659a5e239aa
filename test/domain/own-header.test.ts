import { readOwnHeader } from '../../domain/settings/own-header';

test.each([
  ['X-Api-Key: abc', { name: 'X-Api-Key', value: 'abc' }],
  ['X-Api-Key:abc', { name: 'X-Api-Key', value: 'abc' }],
  ['Ocp-Apim-Subscription-Key: a b: c', { name: 'Ocp-Apim-Subscription-Key', value: 'a b: c' }],
  ['cookies: 1', { name: 'cookies', value: '1' }],
])('%s is one', (text, header) => {
  expect(readOwnHeader(text)).toEqual(header);
});

test.each([
  'Authorization: x',
  'content-length: 0',
  'Content-Encoding: br',
  'Host: other.example',
  'Transfer-Encoding: chunked',
  'Connection: X-Api-Key',
  'Webhook-Signature: v1,x',
  'X-Gdx-Test: true',
  'X-Entity-Type: accounts',
  'Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-request-id: 1',
  'Proxy-Authorization: x',
  'X-Forwarded-For: 127.0.0.1',
  'Cookie: a=b',
])('%s is reserved', (text) => {
  expect(readOwnHeader(text)).toEqual({ problem: expect.stringContaining('set otherwise or not at all') });
});

test.each([
  '',
  'X-Api-Key',
  ': secret-value',
  'X Api: secret-value',
  'X-Api-Key: ',
  'X-Api-Key: secret-value\r\nX-Other: 1',
  'X-Api-Key: secret-välue',
  `X-Api-Key: ${'x'.repeat(1_001)}`,
])('%j is none, and its value is not repeated', (text) => {
  const read = readOwnHeader(text);
  expect(read).toEqual({ problem: expect.any(String) });
  expect(JSON.stringify(read)).not.toContain('secret');
});
