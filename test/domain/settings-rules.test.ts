import { readConfig } from '../../config';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { readOldKeys } from '../../domain/settings/key-settings';
import type { Part, Setting } from '../../domain/settings/setting';
import {
  isPlainUrl,
  readCountries,
  readMetricsPort,
  readOpsPort,
} from '../../domain/settings/settings-rules';

const KEY = Buffer.from('9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f', 'hex');
const SECRET = `whsec_${KEY.toString('base64')}`;

/** The result of a rule, and the problems that it added. */
function told<T>(rule: (problems: string[]) => T): [T, string[]] {
  const problems: string[] = [];
  return [rule(problems), problems];
}

test.each(['http://ops.example', 'https://ops.example:8443/hook?a=1'])('%s is a plain URL', (text) =>
  expect(isPlainUrl(text)).toBe(true),
);
test.each([
  'ops.example',
  'ftp://ops.example',
  'xhttps://ops.example',
  'httpsx://a',
  'https://user@ops.example',
  'https://:pw@ops.example',
])('%s is not', (text) => expect(isPlainUrl(text)).toBe(false));

/** What `readConfig` says of an environment. */
function problemsOf(env: NodeJS.ProcessEnv, part: Part = 'api'): string[] {
  try {
    readConfig(env, part);
    return [];
  } catch (error) {
    return (error as Error).message.split('; ');
  }
}

describe('text messages', () => {
  test('on the console need nothing', () =>
    expect(problemsOf({ GDX_SMS_WEBHOOK_URL: 'nonsense' })).toEqual([]));

  test('to a webhook need its URL', () => {
    const webhook = (GDX_SMS_WEBHOOK_URL: string, part?: Part) =>
      problemsOf({ GDX_SMS_PROVIDER: 'webhook', GDX_SMS_WEBHOOK_URL }, part);
    expect(webhook('https://texts.example/send')).toEqual([]);
    expect(webhook('')).toEqual(['GDX_SMS_WEBHOOK_URL must be set for GDX_SMS_PROVIDER=webhook']);
    expect(webhook('texts.example')).toEqual([
      'GDX_SMS_WEBHOOK_URL must be a URL like https://texts.example/send, without a user or password',
    ]);
    expect([webhook('', 'gdx'), webhook('texts.example', 'worker')]).toEqual([[], []]); // who texts nobody
  });

  test('by Twilio need all of its settings', () => {
    const missing = (name: string) => `${name} must be set for GDX_SMS_PROVIDER=twilio`;
    expect(problemsOf({ GDX_SMS_PROVIDER: 'twilio' })).toEqual(
      ['GDX_TWILIO_ACCOUNT_SID', 'GDX_TWILIO_AUTH_TOKEN', 'GDX_TWILIO_FROM'].map(missing),
    );
    const twilio = {
      GDX_TWILIO_ACCOUNT_SID: 'AC1',
      GDX_TWILIO_AUTH_TOKEN: 't',
      GDX_TWILIO_FROM: '+17015550142',
    };
    expect(problemsOf({ GDX_SMS_PROVIDER: 'twilio', ...twilio })).toEqual([]);
  });
});

test('countries: those with numbers of +1', () => {
  const read = (text: string) => told((problems) => readCountries(text, problems));
  expect(read('US, CA')).toEqual([['US', 'CA'], []]);
  for (const text of ['', 'us', 'DE', 'US,']) {
    expect(read(text)[1]).toEqual([expect.stringMatching(/^GDX_SMS_COUNTRIES must be countries with/)]);
  }
});

test('alerts: a URL and a secret, or neither', () => {
  const read = (GDX_ALERT_WEBHOOK_URL: string, GDX_ALERT_SECRET: string) =>
    readConfig({ GDX_ALERT_WEBHOOK_URL, GDX_ALERT_SECRET }).alertWebhook;
  const url = 'https://ops.example/hook';
  expect(read('', '')).toBeUndefined();
  expect(read('', SECRET)).toBeUndefined();
  expect(read(url, '')).toEqual({ url, secret: undefined });
  expect(read(url, SECRET)).toEqual({ url, secret: SECRET });
  expect(problemsOf({ GDX_ALERT_WEBHOOK_URL: 'ops.example', GDX_ALERT_SECRET: 'short' }, 'worker')).toEqual([
    'GDX_ALERT_WEBHOOK_URL must be a URL like https://ops.example/hook, without a user or password',
    'GDX_ALERT_SECRET must be whsec_ and 24 to 64 bytes as base64: `echo whsec_$(openssl rand -base64 32)`',
  ]);
});

test('operators’ pages: with the API, unless they have a port of their own, which production gives them', () => {
  const read = (text: string, production: boolean, PORT = '3000') =>
    told((problems) => readOpsPort(text, problems, { production, part: 'api', texts: { PORT } }));
  expect([read('', false), read('', true), read('0', true, '0')]).toEqual([
    [undefined, []],
    [3001, []],
    [0, []],
  ]);
  const refused = [read('off', true), read('3000', false), read('', true, '3001'), read('70000', true)];
  for (const [, problems] of refused)
    expect(problems).toEqual(['GDX_OPS_PORT must be a port that is not PORT']);
});

test('the sealing key: required in production, else that of development', () => {
  const read = (GDX_SECRET_KEY: string) => readConfig({ GDX_SECRET_KEY }).secretKey;
  expect(read('')?.toString()).toBe('gdx development key, not secret!');
  expect(read(KEY.toString('base64'))).toEqual(KEY);
  expect(problemsOf({ NODE_ENV: 'production', GDX_SECRET_KEY: '' })).toContain(
    'GDX_SECRET_KEY must be set in production (openssl rand -base64 32)',
  );
  expect(problemsOf({ GDX_SECRET_KEY: 'short' })).toEqual([
    'GDX_SECRET_KEY must be 32 bytes as base64 or hex (openssl rand -base64 32)',
  ]);
});

test('old keys are a list with commas', () => {
  const read = (text: string) => told((problems) => readOldKeys('GDX_SECRET_KEY_OLD')(text, problems));
  expect(read('')).toEqual([[], []]);
  expect(read(` ${KEY.toString('hex')} , ,${KEY.toString('base64')}`)).toEqual([[KEY, KEY], []]);
  expect(read(`short,${KEY.toString('hex')}`)).toEqual([
    [KEY],
    ['GDX_SECRET_KEY_OLD must be keys of 32 bytes, as base64 or hex'],
  ]);
});

test('the metrics port: a port, 0, off, or that of the process', () => {
  const read = (text: string) => told((problems) => readMetricsPort(text, problems));
  expect(read('')).toEqual([undefined, []]);
  expect(read('off')).toEqual(['off', []]);
  expect(read('0')).toEqual([0, []]);
  expect(read('65535')).toEqual([65_535, []]);
  for (const text of ['65536', 'eighty', '80x', 'x80', '8e1', '080000', '-1'])
    expect(read(text)[1]).toEqual(['GDX_METRICS_PORT must be a port, 0 or off']);
});

test('gdx config hides every setting whose name has key, secret or token', () => {
  const rows = Object.entries<Setting>(ALL_SETTINGS);
  const named = rows.filter(([name]) => /KEY|SECRET|TOKEN|PASSWORD/.test(name));
  expect(named.filter(([, { secret }]) => secret !== 'whole')).toEqual([]);
  const urls = rows.filter(([name]) => /WEBHOOK_URL/.test(name));
  expect([named.length, urls.map(([, { secret }]) => secret)]).toEqual([15, ['path', 'path']]);
});
