import { readTarget } from '../../cli/service/read-target';

const tokenOf = (kind: string, mode: string) => `gdx_${kind}_${mode}_${'a'.repeat(43)}`;

function target(kind: 'erp' | 'channel', mode: 'live' | 'test', url: string): Promise<string> {
  const settings = { url: '', token: tokenOf(kind, mode), signingSecret: '' };
  return readTarget(settings, kind, { url }).then(
    (read) => read.url,
    (error: Error) => error.message,
  );
}

describe.each(['erp', 'channel'] as const)('a token of production, of kind %s', (kind) => {
  test.each([
    'http://grain.example',
    'http://localhost.grain.example',
    'http://127.0.0.1.grain.example',
    'http://10.0.0.1',
  ])('is not sent to %s', async (url) => {
    expect(await target(kind, 'live', url)).toBe(`${url} would carry the token unencrypted`);
    expect(await target(kind, 'test', url)).toBe(url);
  });

  test.each(['https://grain.example', 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'is sent to %s',
    async (url) => expect(await target(kind, 'live', url)).toBe(url),
  );
});

test.each([
  ['https://user@grain.example', 'must not carry a user'],
  ['https://:hunter2@grain.example', 'must not carry a user'],
  ['https://user:hunter2@grain.example', 'must not carry a user'],
  ['https://grain.example/?hunter2', 'must not have a query or a fragment'],
  ['https://grain.example/#hunter2', 'must not have a query or a fragment'],
  ['grain.example:3000', 'must be a URL'],
  ['ftp://grain.example', 'must be a URL'],
])('%s is refused, and no secret in it is repeated', async (url, problem) => {
  const refused = await target('erp', 'live', url);
  expect(refused).toContain(`the address of the service ${problem}`);
  expect(refused).not.toContain('hunter2');
});

test.each([
  ['https://GRAIN.example:10080', 'https://grain.example:10080'],
  ['https://grain.example:443/gdx//', 'https://grain.example/gdx'],
  ['HTTPS://[2606:4700::ABCD]:6000/', 'https://[2606:4700::abcd]:6000'],
])('%s is read as %s', async (url, read) => expect(await target('erp', 'live', url)).toBe(read));

test('the address may be given with the path of the push', async () => {
  for (const path of ['', '/', '//', '/api/v1/push', '/api/v1/push/', '/api/v1/push//'])
    expect(await target('erp', 'live', `https://grain.example${path}`)).toBe('https://grain.example');
});
