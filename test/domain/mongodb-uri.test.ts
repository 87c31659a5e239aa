import { MongoClient } from 'mongodb';
import { settingRows } from '../../cli/setting-rows';
import { readConfig } from '../../config';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { readUri } from '../../domain/settings/mongodb-uri';

// MONGODB_URI is judged as MongoDB's driver takes it, and where it cannot be read, nothing of it is printed.

const KEY = Buffer.from('9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f', 'hex');
const PRODUCTION = {
  NODE_ENV: 'production',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  TEMPORAL_TLS: 'true',
  GDX_CUSTOMER_SECRETS_KEY: KEY.toString('hex'),
};
const start = (uri: string) => () => readConfig({ ...PRODUCTION, MONGODB_URI: uri }, 'worker');

const WORDS = [
  'true',
  'True',
  'TRUE',
  '1',
  'yes',
  'on',
  '"true"',
  '%22true%22',
  ' true',
  'false',
  'False',
  '0',
  '',
];
const URIS = [
  'mongodb://db.example/gdx',
  'mongodb+srv://db.example/gdx',
  'mongodb+srv://db.example/gdx?tls=false',
  'mongodb://127.0.0.1:27018,db.example/gdx',
  'mongodb://a.example/gdx?tls=true&tls=false',
  'mongodb://a.example/gdx?ssl=false&tls=true',
  'mongodb://a.example/gdx?tls=true#&tls=false',
  'mongodb://a.example/gdx?x=?tls=true',
  'mongodb://127.0.0.1@a.example/gdx',
  'mongodb://127.0.0.1:27018\\@a.example/gdx',
  ...['tlsInsecure', 'tlsAllowInvalidCertificates', 'TLSALLOWINVALIDHOSTNAMES'].flatMap((name) =>
    ['true', 'TRUE', '1'].map((word) => `mongodb://a.example/gdx?tls=true&${name}=${word}`),
  ),
  ...['tls', 'TLS', 'ssl', 'sSl'].flatMap((name) =>
    WORDS.map((word) => `mongodb://a.example/gdx?${name}=${word}`),
  ),
];

test.each(URIS)(
  'production does not start with %s, or the driver speaks TLS and checks certificates',
  (uri) => {
    let config;
    try {
      config = start(uri)();
    } catch (error) {
      return expect((error as Error).message).toMatch(/^MONGODB_URI/);
    }
    const { options } = new MongoClient(config.mongodbUri);
    expect([
      options.tls,
      options.rejectUnauthorized ?? true,
      options.tlsAllowInvalidHostnames ?? false,
    ]).toEqual([true, true, false]);
  },
);

test.each([
  'mongodb://gdx:s3cr%2FtPW@a.example:27018,b.example,[fd00::1]:27017/gdx?replicaSet=rs0&tls=true',
  'mongodb://%2Ftmp%2Fmongodb-27017.sock/gdx',
  'mongodb+srv://gdx:x%40y@cluster.example/gdx?retryWrites=true&w=majority',
])('%s is read as the driver reads it', (text) => {
  const uri = readUri(text);
  if (typeof uri === 'string') throw new Error(uri);
  const { options } = new MongoClient(text);
  const names = options.hosts.map((host) => host.socketPath ?? host.host);
  expect(uri.hosts.map((host) => decodeURIComponent(host).replace(/[[\]]/g, ''))).toEqual(
    options.srvHost ? [] : names,
  );
  expect([uri.hasTls, uri.user, uri.password]).toEqual([
    options.tls ?? false,
    options.credentials?.username ?? '',
    options.credentials?.password ?? '',
  ]);
});

const MALFORMED = [
  'mongodb://user:s3cr/tPW@db.example/gdx',
  'mongodb://user:s3cr@tPW@db.example/gdx',
  'mongodb://user:s3cr#tPW@db.example/gdx',
  'mongodb://user:s3cr?tPW@db.example/gdx',
  'mongodb://user:s3cr%tPW@db.example/gdx',
  'mongodb://user:s3cr:tPW@db.example/gdx',
  '"mongodb://user:s3crtPW@db.example/gdx"',
  'user:s3crtPW@db.example',
  'mongodb//user:s3crtPW@db.example',
  'mongodb://user:s3crtPW@db.example:port/gdx',
  'mongodb://db.example/gdx?tls=true&tlsCertificateKeyFilePassword=%s3crtPW',
];

test.each(MALFORMED)('of %s nothing is printed, and the error says what to do', (text) => {
  const rows = settingRows(ALL_SETTINGS, { MONGODB_URI: text }, {});
  expect(rows.find(({ name }) => name === 'MONGODB_URI')!.value).toBe('(hidden)');
  for (const part of ['gdx', 'worker'] as const)
    try {
      readConfig({ MONGODB_URI: text }, part);
      throw new Error('it was taken');
    } catch (error) {
      const { message } = error as Error;
      expect(message).toMatch(
        /^MONGODB_URI (cannot be read: .*percent-encoded|must begin|has quotes around it)/,
      );
      expect(message).not.toMatch(/s3cr|tPW|GDX_SECRET_KEY/);
    }
});

test('of other addresses that cannot be read nothing is printed, nor what may be a secret of those that can', () => {
  const env = {
    GDX_PUBLIC_URL: 'https://gdx:s3crtPW@grain.example',
    GDX_OPS_URL: 'https:s3crtPW',
    GDX_OIDC_ISSUER: 'https://login.example/?key=s3crtPW',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://gdx:s3cr/tPW@collector.example',
    GDX_ALERT_WEBHOOK_URL: 'ops.example/s3crtPW',
    GDX_SERVICE_NAME: 'gdx://u:s3crtPW@host',
  };
  const rows = settingRows(ALL_SETTINGS, env, {}).filter(({ name }) => name in env);
  expect(rows).toHaveLength(6);
  expect(JSON.stringify(rows.map(({ value }) => value))).not.toMatch(/s3cr|tPW/);
});
