import { type CheckedSettings, unsafeSettings } from '../../domain/unsafe-settings';

const KEY = Buffer.from('9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f', 'hex');

const TEMPORAL = { address: 'temporal.example:7233', apiKey: true, tls: 'true', certificate: false };

const SAFE: CheckedSettings = {
  host: '0.0.0.0',
  mongodbUri: 'mongodb://db.example/gdx?replicaSet=rs0&tls=true',
  secretKey: KEY,
  customerKey: KEY,
  outboundAllow: [],
  alertUrl: 'https://ops.example',
  smsUrl: 'HTTPS://texts.example',
  temporal: TEMPORAL,
  closedNetwork: '',
  rejectUnauthorized: '',
  farmers: { publicUrl: 'https://gdx.example', smsProvider: 'twilio' },
};

test.each<[what: string, change: Partial<CheckedSettings>]>([
  ['nothing', {}],
  ['a key that another rule refused', { secretKey: undefined }],
  ['no alerts, no texts', { alertUrl: '', smsUrl: '' }],
  [
    'Temporal in the clear without a key on a closed network',
    { temporal: { ...TEMPORAL, apiKey: false, tls: 'false' }, closedNetwork: 'one host' },
  ],
  ['no TLS setting', { temporal: { ...TEMPORAL, tls: '' } }],
  ['another word about TLS', { temporal: { ...TEMPORAL, tls: 'x0' } }],
  ['and another', { temporal: { ...TEMPORAL, tls: 'false?' } }],
  ['no farmers, in the worker', { farmers: undefined }],
])('safe: %s', (_, change) => expect(unsafeSettings({ ...SAFE, ...change })).toEqual([]));

test.each<[change: Partial<CheckedSettings>, message: string]>([
  [
    { mongodbUri: 'mongodb://127.0.0.1:27017/gdx' },
    'MONGODB_URI is that of development: name the replica set and the database',
  ],
  [{ secretKey: Buffer.alloc(32, 7) }, 'GDX_SECRET_KEY can be guessed: use `openssl rand -base64 32`'],
  [
    { customerKey: Buffer.alloc(32, 7) },
    'GDX_CUSTOMER_SECRETS_KEY can be guessed: `gdx secrets keys` makes a pair',
  ],
  [
    { outboundAllow: ['10.0.0.0/8'] },
    'GDX_OUTBOUND_ALLOW must be empty in production: customers have public addresses',
  ],
  [
    { temporal: { ...TEMPORAL, tls: '0' } },
    'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
  ],
  [
    { temporal: { ...TEMPORAL, tls: 'FALSE' } },
    'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
  ],
  [{ alertUrl: 'http://ops.example' }, 'GDX_ALERT_WEBHOOK_URL must begin with https:// in production'],
  [{ alertUrl: 'x https://a' }, 'GDX_ALERT_WEBHOOK_URL must begin with https:// in production'],
  [
    { smsUrl: 'http://texts.example' },
    'GDX_SMS_WEBHOOK_URL must begin with https:// in production: codes go there',
  ],
  [
    { farmers: { publicUrl: 'http://gdx.example', smsProvider: 'twilio' } },
    'GDX_PUBLIC_URL must begin with https:// in production: farmers and customers are sent there',
  ],
  [
    { farmers: { publicUrl: 'https://gdx.example', smsProvider: 'console' } },
    'GDX_SMS_PROVIDER must be webhook or twilio in production: console shows codes to everybody',
  ],
])('unsafe: %j', (change, message) => expect(unsafeSettings({ ...SAFE, ...change })).toEqual([message]));
