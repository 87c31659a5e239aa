import { readConfig } from '../../config';
import { type Api, expectError, startApi } from './start-api';

const PATH = '/.well-known/security.txt';
const DAY_MS = 24 * 3_600_000;

const started = async (securityContact: string): Promise<Api> =>
  startApi({ farmer: { securityContact, publicUrl: 'https://grain.example/' } });

test('security.txt says whom to tell, for 180 days, where a setting names them; 404 without it', async () => {
  const api = await started('mailto:security@grain.example');
  const { status, headers, text } = await api.ask('GET', PATH);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/) as [string, string]),
  );
  expect(fields).toEqual({
    Contact: 'mailto:security@grain.example',
    Expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    'Preferred-Languages': 'en',
    Canonical: 'https://grain.example/.well-known/security.txt',
  });
  const left = Date.parse(fields['Expires']!) - Date.now();
  expect(Math.ceil(left / DAY_MS)).toBe(180);
  expectError(await (await started('')).ask('GET', PATH), 404, 'NOT_FOUND');
});

test.each([
  ['mailto:security@grain.example', true],
  ['https://grain.example/security', true],
  ['security@grain.example', false],
  ['mailto:a@b.example\nExpires: 2099-01-01T00:00:00Z', false],
  ['http://grain.example/security', false],
])('a contact is an address of mail or https: %j', (contact, right) => {
  const read = () => readConfig({ GDX_SECURITY_CONTACT: contact }, 'api').securityContact;
  if (right) expect(read()).toBe(contact);
  else expect(read).toThrow(/GDX_SECURITY_CONTACT must be/);
});
