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

test('the address may be given with the path of the push', async () => {
  for (const path of ['', '/', '/api/v1/push', '/api/v1/push/'])
    expect(await target('erp', 'live', `https://grain.example${path}`)).toBe('https://grain.example');
});
