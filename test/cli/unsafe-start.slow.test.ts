import { first, scaledTest } from '../setup/cases';
import { randomBytes } from 'node:crypto';
import { newDatabaseUri } from '../setup/open-store';
import { runNode } from '../setup/processes';
import { openStoreAt } from '../setup/open-store-at';

const PARTS = [
  ['the API', ['api/main.js']],
  ['the worker', ['worker/main.js']],
  [
    'gdx',
    [
      'cli/main.js',
      'channel',
      'add',
      'acme',
      '--name',
      'Acme',
      '--base-url',
      'https://acme.example',
      '--all-companies',
    ],
  ],
] as const;

/** A real process with this environment only. */
async function run([main, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const all = { PATH: process.env.PATH, GDX_METRICS_PORT: 'off', PORT: '0', ...env };
  const { code, out, err } = await runNode([`dist/${main}`, ...args], all);
  return { code, said: out + err };
}

const UNSAFE = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://127.0.0.1:27017/gdx',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  GDX_SECRET_KEY: 'a'.repeat(64),
  GDX_OUTBOUND_ALLOW: '10.0.0.0/8',
  GDX_ALERT_WEBHOOK_URL: 'http://ops.example',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
};
const NAMED = ['MONGODB_URI', 'NODE_TLS_REJECT_UNAUTHORIZED', 'GDX_SECRET_KEY', 'GDX_OUTBOUND_ALLOW'];
const OF_ONE: Record<string, readonly string[]> = {
  'the API': ['GDX_PUBLIC_URL', 'GDX_SMS_PROVIDER'],
  'the worker': ['GDX_ALERT_WEBHOOK_URL'],
};

test.each(PARTS)(
  '%s does not start with unsafe settings, names them all, and ends with 78',
  async (part, args) => {
    const { code, said } = await run(args, UNSAFE);
    expect(code).toBe(78);
    for (const name of [...NAMED, ...(OF_ONE[part] ?? [])]) expect(said).toContain(name);
    expect(said).not.toContain('a'.repeat(64));
  },
);

scaledTest.each(first(1, PARTS))('%s of development does not start beyond this machine', async (_, args) => {
  const env = { HOST: '0.0.0.0', MONGODB_URI: 'mongodb://db.example/gdx', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { code, said } = await run(args, env);
  expect([code, said]).toEqual([78, expect.stringMatching(/HOST must be.*GDX_SECRET_KEY must be set/)]);
});

describe('a database that was used with another key', () => {
  let uri: string;
  let env: NodeJS.ProcessEnv;
  const key = randomBytes(32);
  beforeAll(async () => {
    uri = newDatabaseUri();
    env = {
      MONGODB_URI: uri,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      GDX_SECRET_KEY: randomBytes(32).toString('hex'),
    };
    await openStoreAt(uri, { keys: { secretKey: key } });
  });

  scaledTest.each(first(2, PARTS))('%s does not start on it, and says what to do', async (part, args) => {
    const { code, said } = await run(args, {
      ...env,
      GDX_CUSTOMER_SECRETS_KEY: randomBytes(32).toString('hex'),
    });
    const name = part === 'the worker' ? 'GDX_CUSTOMER_SECRETS_KEY_OLD' : 'GDX_SECRET_KEY_OLD';
    expect([code, said]).toEqual([78, expect.stringContaining(name)]);
  });

  test('it does with the other key beside its own', async () => {
    const GDX_SECRET_KEY_OLD = `${randomBytes(32).toString('hex')},${key.toString('base64')}`;
    const gdx = ['cli/main.js', 'alerts', '--secret', '--json'];
    const { code, said } = await run(gdx, { ...env, GDX_SECRET_KEY_OLD });
    expect([code, said]).toEqual([0, expect.stringContaining('whsec_')]);
  });
});
