import { createHash } from 'node:crypto';
import { ConfigurationError, readConfig } from '../../config';

const KEY = createHash('sha256').update('any').digest();

const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db.example/gdx?replicaSet=rs0',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  GDX_SECRET_KEY: KEY.toString('hex'),
};
const PUBLIC = {
  ...PRODUCTION,
  GDX_PUBLIC_URL: 'https://gdx.example',
  GDX_SMS_PROVIDER: 'webhook',
  GDX_SMS_WEBHOOK_URL: 'https://texts.example',
};

describe('readConfig', () => {
  it('takes what is set and knows a default for the rest', () => {
    const config = readConfig({
      MONGODB_URI: 'mongodb://127.0.0.1:1/x',
      TEMPORAL_ADDRESS: '127.0.0.1:2',
      PORT: '4000',
    });
    expect(config).toMatchObject({ port: 4000, production: false, taskQueue: 'gdx', logLevel: 'info' });
  });

  it('starts in production with what it needs', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ production: true, secretKey: KEY });
    expect(readConfig(PUBLIC, 'api')).toMatchObject({ publicUrl: 'https://gdx.example' });
  });

  it('names every missing setting of production at once', () => {
    const wrong = () => readConfig({ NODE_ENV: 'production' });
    expect(wrong).toThrow(ConfigurationError);
    expect(wrong).toThrow(/MONGODB_URI.*TEMPORAL_ADDRESS.*GDX_SECRET_KEY/);
  });

  it('takes what is empty for what is not set', () => {
    const config = readConfig({ NODE_ENV: '', PORT: '', LOG_LEVEL: '', GDX_RETENTION_DAYS: '' });
    expect(config).toMatchObject({ production: false, port: 3000, logLevel: 'info', retentionDays: 400 });
  });

  it.each([
    [{ PORT: 'eighty' }, /PORT/],
    [{ PORT: '70000' }, /PORT/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL.*trace, debug, info/],
    [{ MONGODB_URI: 'postgres://x' }, /MONGODB_URI must begin/],
    [{ GDX_SECRET_KEY: 'short' }, /GDX_SECRET_KEY must be 32 bytes/],
    [{ GDX_SECRET_KEY_OLD: `${KEY.toString('base64')},short` }, /GDX_SECRET_KEY_OLD must be/],
    [{ GDX_OUTBOUND_ALLOW: '10.0.0.0/8,nonsense' }, /nonsense is no CIDR/],
    [{ GDX_ALERT_WEBHOOK_URL: 'ops.example' }, /GDX_ALERT_WEBHOOK_URL must be a URL/],
    [{ GDX_ALERT_WEBHOOK_URL: 'https://ops:secret@ops.example/hook' }, /without a user or password/],
    [{ GDX_ALERT_WEBHOOK_URL: 'https://ops.example:99999/hook' }, /GDX_ALERT_WEBHOOK_URL must be a URL/],
    [{ GDX_PUBLIC_URL: 'https://grain example/' }, /GDX_PUBLIC_URL must be a URL/],
    [{ GDX_PUBLIC_URL: 'https://' }, /GDX_PUBLIC_URL must be a URL/],
    [{ NODE_ENV: 'prod' }, /NODE_ENV .*development, test or production/],
    [{ GDX_ALERT_SECRET: 'whsec_c2hvcnQ=' }, /GDX_ALERT_SECRET must be whsec_/],
  ])('refuses %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  it.each<[what: string, change: object, message: RegExp]>([
    [
      'MongoDB of development',
      { MONGODB_URI: 'mongodb://127.0.0.1:27017/gdx' },
      /^MONGODB_URI is that of development/,
    ],
    [
      'the same by another name',
      { MONGODB_URI: 'mongodb://localhost/?directConnection=true' },
      /^MONGODB_URI is that/,
    ],
    ['no Temporal', { TEMPORAL_ADDRESS: '' }, /^TEMPORAL_ADDRESS must be set/],
    ['no secret key', { GDX_SECRET_KEY: '' }, /^GDX_SECRET_KEY must be set.*openssl/],
    [
      'the key of development',
      { GDX_SECRET_KEY: Buffer.from('gdx development key, not secret!').toString('base64') },
      /^GDX_SECRET_KEY can be guessed/,
    ],
    ['a key of one letter', { GDX_SECRET_KEY: 'a'.repeat(64) }, /^GDX_SECRET_KEY can be guessed/],
    [
      'a key of few bytes',
      { GDX_SECRET_KEY: 'deadbeefcafebabe'.repeat(4) },
      /^GDX_SECRET_KEY can be guessed/,
    ],
    [
      'a key that counts',
      { GDX_SECRET_KEY: Buffer.from([...Array(32).keys()]).toString('hex') },
      /^GDX_SECRET_KEY can/,
    ],
    ['ways into the network', { GDX_OUTBOUND_ALLOW: '10.0.0.0/8' }, /^GDX_OUTBOUND_ALLOW must be empty/],
    [
      'alerts in the clear',
      { GDX_ALERT_WEBHOOK_URL: 'http://ops.example' },
      /^GDX_ALERT_WEBHOOK_URL must begin with https/,
    ],
    [
      'texts in the clear',
      { GDX_SMS_WEBHOOK_URL: 'http://texts.example' },
      /^GDX_SMS_WEBHOOK_URL must begin with https/,
    ],
    ['texts on the screen', { GDX_SMS_PROVIDER: 'console' }, /^GDX_SMS_PROVIDER must be webhook or twilio/],
    ['no public address', { GDX_PUBLIC_URL: '' }, /^GDX_PUBLIC_URL must begin with https/],
    [
      'a public address in the clear',
      { GDX_PUBLIC_URL: 'http://gdx.example' },
      /^GDX_PUBLIC_URL must begin with https/,
    ],
    [
      'Temporal’s key in the clear',
      { TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' },
      /^TEMPORAL_TLS must not be off/,
    ],
  ])('does not start in production with %s', (_, change, message) => {
    // that, and nothing else
    expect(() => readConfig({ ...PUBLIC, ...change }, 'api')).toThrow(message);
    expect(() => readConfig({ ...PUBLIC, ...change }, 'api')).not.toThrow(/; /);
    expect(() => readConfig({ ...PUBLIC, ...change, NODE_ENV: 'development' }, 'api')).not.toThrow();
  });

  it('lists everything that is wrong and unsafe at once', () => {
    const wrong = {
      ...{ NODE_ENV: 'production', PORT: 'eighty', LOG_LEVEL: 'loud', GDX_SECRET_KEY: 'a'.repeat(64) },
      ...{ GDX_OUTBOUND_ALLOW: '10.0.0.0/8', GDX_ALERT_WEBHOOK_URL: 'http://ops.example' },
      ...{ GDX_PUBLIC_URL: 'http://gdx.example', GDX_SMS_PROVIDER: 'console' },
    };
    const names = ['PORT', 'LOG_LEVEL', 'MONGODB_URI', 'TEMPORAL_ADDRESS', ...Object.keys(wrong).slice(3)];
    let message = '';
    try {
      readConfig(wrong, 'api');
    } catch (error) {
      message = (error as Error).message;
    }
    for (const name of names) expect(message).toContain(`${name} `);
    expect(message.split('; ')).toHaveLength(names.length);
  });

  it('never repeats a secret', () => {
    const planted = { GDX_SECRET_KEY: 'geheim1', GDX_SECRET_KEY_OLD: 'geheim2', GDX_ALERT_SECRET: 'geheim3' };
    expect(() => readConfig(planted)).toThrow(/GDX_SECRET_KEY.*GDX_SECRET_KEY_OLD|GDX_ALERT_SECRET/);
    expect(() => readConfig(planted)).not.toThrow(/geheim/);
  });
});
