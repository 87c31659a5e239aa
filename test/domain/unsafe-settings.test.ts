import { readConfig } from '../../config';
import type { Part } from '../../domain/settings/setting';

const KEY = '9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f';
const PUBLIC_KEY = Buffer.from(KEY, 'hex').toString('base64');

const SAFE = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  MONGODB_URI: 'mongodb://db.example/gdx?replicaSet=rs0&tls=true',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  TEMPORAL_API_KEY: 'k',
  TEMPORAL_TLS: 'true',
  GDX_SECRET_KEY: KEY,
  GDX_CUSTOMER_SECRETS_PUBLIC_KEY: PUBLIC_KEY,
  GDX_ALERT_WEBHOOK_URL: 'https://ops.example',
  GDX_SMS_PROVIDER: 'webhook',
  GDX_SMS_WEBHOOK_URL: 'HTTPS://texts.example',
  GDX_PUBLIC_URL: 'https://gdx.example',
};
const WORKER = { GDX_SECRET_KEY: '', GDX_CUSTOMER_SECRETS_KEY: KEY, GDX_CUSTOMER_SECRETS_PUBLIC_KEY: '' };

test.each<[what: string, change: NodeJS.ProcessEnv, part?: 'worker']>([
  ['nothing', {}],
  ['no alerts', { GDX_ALERT_WEBHOOK_URL: '' }],
  [
    'Temporal in the clear without a key on a closed network',
    { TEMPORAL_API_KEY: '', TEMPORAL_TLS: 'false', GDX_CLOSED_NETWORK: 'one host' },
  ],
  ['no TLS setting', { TEMPORAL_TLS: '' }],
  ['no farmers, in the worker', { ...WORKER, GDX_PUBLIC_URL: '', GDX_SMS_PROVIDER: '' }, 'worker'],
])('safe: %s', (_, change, part: Part = 'api') => {
  expect(() => readConfig({ ...SAFE, ...change }, part)).not.toThrow();
});

test.each<[change: NodeJS.ProcessEnv, message: string, part?: 'worker']>([
  [
    { MONGODB_URI: 'mongodb://127.0.0.1:27017/gdx' },
    'MONGODB_URI is that of development: name the replica set and the database',
  ],
  [{ GDX_SECRET_KEY: '07'.repeat(32) }, 'GDX_SECRET_KEY can be guessed: use `openssl rand -base64 32`'],
  [
    { ...WORKER, GDX_CUSTOMER_SECRETS_KEY: '07'.repeat(32) },
    'GDX_CUSTOMER_SECRETS_KEY can be guessed: `gdx secrets keys` makes a pair',
    'worker',
  ],
  [
    { ...WORKER, GDX_OUTBOUND_ALLOW: '10.0.0.0/8' },
    'GDX_OUTBOUND_ALLOW must be empty in production: customers have public addresses',
    'worker',
  ],
  [
    { TEMPORAL_TLS: '0' },
    'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
  ],
  [
    { TEMPORAL_TLS: 'false' },
    'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
  ],
  [
    { ...WORKER, GDX_ALERT_WEBHOOK_URL: 'http://ops.example' },
    'GDX_ALERT_WEBHOOK_URL must begin with https:// in production',
    'worker',
  ],
  [
    { GDX_SMS_WEBHOOK_URL: 'http://texts.example' },
    'GDX_SMS_WEBHOOK_URL must begin with https:// in production: codes go there',
  ],
  [
    { GDX_PUBLIC_URL: 'http://gdx.example' },
    'GDX_PUBLIC_URL must begin with https:// in production: farmers and customers are sent there',
  ],
  [
    { GDX_SMS_PROVIDER: 'console' },
    'GDX_SMS_PROVIDER must be webhook or twilio in production: console shows codes to everybody',
  ],
])('unsafe: %j', (change, message, part: Part = 'api') => {
  expect(() => readConfig({ ...SAFE, ...change }, part)).toThrow(new Error(message));
});
