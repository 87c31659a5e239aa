import { createHash } from 'node:crypto';
import { ConfigurationError, readConfig, serviceSettings } from '../../config';
import type { Part } from '../../domain/settings/setting';
import { rawPublicKey } from '../../domain/settings/raw-keys';

const KEY = createHash('sha256').update('any').digest();
const PUBLIC_KEY = rawPublicKey('X25519', KEY).toString('base64');

const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db.example/gdx?replicaSet=rs0&tls=true',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  TEMPORAL_TLS: 'true',
  GDX_SECRET_KEY: KEY.toString('hex'),
  GDX_CUSTOMER_SECRETS_PUBLIC_KEY: PUBLIC_KEY,
};
const PUBLIC = {
  ...PRODUCTION,
  GDX_PUBLIC_URL: 'https://gdx.example',
  GDX_SMS_PROVIDER: 'webhook',
  GDX_SMS_WEBHOOK_URL: 'https://texts.example',
};

describe('readConfig', () => {
  it('takes no CR, blank or mark at the end of a value for a part of it', () => {
    for (const end of ['\r', ' ', '\u00a0', '\u200b', '\ufeff']) {
      const env = { ...PUBLIC, NODE_ENV: `production${end}`, MONGODB_URI: `${end}${PUBLIC.MONGODB_URI}${end}`, PORT: `4000${end}`, GDX_SECRET_KEY: `${KEY.toString('hex')}${end}`, GDX_TASK_QUEUE: end }; // prettier-ignore
      expect(readConfig(env, 'api')).toMatchObject({ production: true, mongodbUri: PUBLIC.MONGODB_URI, port: 4000, secretKey: KEY, taskQueue: 'gdx' }); // prettier-ignore
    }
  });

  it('names each setting that holds what nobody sees, and one whose name does', () => {
    const { NODE_ENV, ...rest } = PUBLIC;
    const env = { ...rest, '\ufeffNODE_ENV': NODE_ENV, GDX_PUBLIC_URL: 'https://gdx\u200b.example', GDX_SERVICE_NAME: 'Grain\u00a0Exchange' }; // prettier-ignore
    expect(() => readConfig(env, 'api')).toThrow(
      'GDX_PUBLIC_URL holds U+200B, which cannot be seen; NODE_ENV is not set: the name in its place holds U+FEFF, which cannot be seen',
    );
    expect(readConfig({ ...PUBLIC, GDX_SERVICE_NAME: 'Grain\u00a0Exchange' }, 'api').serviceName).toBe(
      'Grain\u00a0Exchange',
    );
  });

  it('takes the settings that are set, and defaults for the rest', () => {
    const config = readConfig({
      MONGODB_URI: 'mongodb://127.0.0.1:1/x',
      TEMPORAL_ADDRESS: '127.0.0.1:2',
      PORT: '4000',
    });
    expect(config).toMatchObject({ port: 4000, production: false, taskQueue: 'gdx', logLevel: 'info' });
  });

  it('takes every setting for what it is, and none for another', () => {
    const config = readConfig({
      TEMPORAL_NAMESPACE: 'grain',
      TEMPORAL_DEPLOYMENT_NAME: 'grain/worker',
      TEMPORAL_WORKER_BUILD_ID: 'of-the-controller',
      GDX_TASK_QUEUE: 'grain-1',
      GDX_SECRET_KEY_OLD: KEY.toString('hex'),
      GDX_METRICS_PORT: '9000',
      GDX_RECONCILE_SECONDS: '60',
      GDX_RETENTION_DAYS: '90',
      GDX_TRUSTED_PROXIES: '2',
      GDX_OUTBOUND_ALLOW: '10.1.0.0/16, 10.2.0.0/16,',
      GDX_OUTBOUND_PORTS: '443,9443',
      GDX_OUTBOUND_PROXY: 'http://gdx:word@[fd00::1]:3128',
      GDX_CODES_PER_DAY: '300',
      GDX_CODES_PER_CHANNEL_PER_DAY: '200',
      GDX_CODES_UNLISTED_PER_DAY: '100',
      GDX_SMS_COUNTRIES: 'CA',
      GDX_SMS_PROVIDER: 'twilio',
      GDX_SMS_WEBHOOK_URL: 'https://texts.example',
      GDX_SMS_WEBHOOK_TOKEN: 'of-the-webhook',
      GDX_TWILIO_ACCOUNT_SID: 'AC1',
      GDX_TWILIO_AUTH_TOKEN: 'of-twilio',
      GDX_TWILIO_FROM: '+17015550100',
      GDX_TWILIO_CALL_FROM: '+17015550101',
    });
    expect(config).toMatchObject({
      temporalNamespace: 'grain',
      workerDeployment: 'grain/worker',
      workerBuildId: 'of-the-controller',
      taskQueue: 'grain-1',
      oldSecretKeys: [KEY],
      metricsPort: 9000,
      reconcileEveryMs: 60_000,
      retentionDays: 90,
      trustedProxies: 2,
      outboundAllow: ['10.1.0.0/16', '10.2.0.0/16'],
      outboundPorts: [443, 9443],
      outboundProxy: new URL('http://gdx:word@[fd00::1]:3128'),
      codes: { countries: ['CA'], perDay: 300, perChannelDay: 200, unlistedPerDay: 100 },
      sms: {
        provider: 'twilio',
        webhook: { url: 'https://texts.example', token: 'of-the-webhook' },
        twilio: { accountSid: 'AC1', authToken: 'of-twilio', from: '+17015550100', callFrom: '+17015550101' },
      },
    });
  });

  const PROVIDER = {
    GDX_OIDC_ISSUER: 'https://login.example',
    GDX_OIDC_CLIENT_ID: 'gdx',
    GDX_OIDC_CLIENT_SECRET: 'of-the-client',
    GDX_OIDC_OPERATE_GROUPS: 'operators, owners,',
  };

  it('knows the provider at which operators sign in', () => {
    expect(readConfig({}, 'api').operatorsProvider).toBeUndefined();
    const env = { ...PUBLIC, ...PROVIDER, GDX_OPS_URL: 'https://ops.example' };
    expect(readConfig(env, 'api').operatorsProvider).toEqual({
      ...{ issuer: 'https://login.example', clientId: 'gdx', clientSecret: 'of-the-client' },
      ...{ scopes: 'openid profile email', groupsClaim: 'groups', opsUrl: 'https://ops.example' },
      ...{ operateGroups: ['operators', 'owners'], readGroups: [] },
    });
  });

  it('names all that is missing or unsafe beside that provider', () => {
    const wrong = {
      ...PUBLIC,
      GDX_OIDC_ISSUER: 'http://login.example?x',
      GDX_OPS_URL: 'http://ops.example/ops',
    };
    expect(() => readConfig(wrong, 'api')).toThrow(
      [
        'GDX_OPS_URL must be scheme, host and port only, like https://ops.grain.example',
        'GDX_OPS_URL must begin with https:// in production: sessions go there',
        'GDX_OIDC_ISSUER must be a URL like https://login.example, without a user, query or fragment',
        'GDX_OIDC_CLIENT_ID must be set beside GDX_OIDC_ISSUER',
        'GDX_OIDC_CLIENT_SECRET must be set beside GDX_OIDC_ISSUER',
        'GDX_OIDC_OPERATE_GROUPS or GDX_OIDC_READ_GROUPS must name a group beside GDX_OIDC_ISSUER',
        'GDX_OIDC_ISSUER must begin with https:// in production: it says who operators are',
      ].join('; '),
    );
    expect(() => readConfig({ ...PUBLIC, ...PROVIDER }, 'api')).toThrow(
      'GDX_OPS_URL must be set beside GDX_OIDC_ISSUER',
    );
  });

  it('reads what `gdx push` and `gdx listen` need, without the line feed of a file of secrets', () => {
    const env = {
      GDX_PUBLIC_URL: 'https://gdx.example',
      GDX_TOKEN: ' gdx_erp\n',
      GDX_SIGNING_SECRET: 'whsec_\n',
    };
    expect(serviceSettings(env)).toEqual({
      url: 'https://gdx.example',
      token: 'gdx_erp',
      signingSecret: 'whsec_',
      proxies: { http: '', https: '', none: '' },
    });
  });

  it('gives each process its own keys and no others', () => {
    const GDX_CUSTOMER_SECRETS_KEY = KEY.toString('hex');
    const keysOf = (part: Part, env: NodeJS.ProcessEnv) => {
      const { secretKey, customerKeys } = readConfig(env, part);
      return [secretKey !== undefined, customerKeys.privateKeys.length];
    };
    const worker = { ...PRODUCTION, GDX_SECRET_KEY: '', GDX_CUSTOMER_SECRETS_KEY };
    expect([keysOf('api', PUBLIC), keysOf('worker', worker)]).toEqual([
      [true, 0],
      [false, 1],
    ]);
    expect([keysOf('gdx', PRODUCTION), keysOf('gdx', { ...PRODUCTION, GDX_CUSTOMER_SECRETS_KEY })]).toEqual([
      [true, 0],
      [true, 1],
    ]);
    // in development too, where nothing is set
    expect([keysOf('api', {}), keysOf('worker', {}), keysOf('gdx', {})]).toEqual([
      [true, 0],
      [false, 1],
      [true, 1],
    ]);
    expect(() => readConfig(PRODUCTION, 'worker')).toThrow(
      /GDX_SECRET_KEY must not be given to the worker.*; GDX_CUSTOMER_SECRETS_KEY must be set in production/,
    );
    const { GDX_SECRET_KEY: coming, ...withoutKey } = PRODUCTION;
    expect(() => readConfig({ ...withoutKey, GDX_SECRET_KEY_OLD: coming }, 'worker')).toThrow(
      /GDX_SECRET_KEY_OLD must not be given to the worker/,
    );
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

  it('takes an empty setting for one that is not set', () => {
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
    [{ GDX_CUSTOMER_SECRETS_KEY: 'short' }, /GDX_CUSTOMER_SECRETS_KEY must be 32 bytes.*gdx secrets keys/],
    [{ GDX_CUSTOMER_SECRETS_PUBLIC_KEY: 'short' }, /GDX_CUSTOMER_SECRETS_PUBLIC_KEY must be 32 bytes/],
    [{ GDX_CUSTOMER_SECRETS_KEY_OLD: 'short' }, /GDX_CUSTOMER_SECRETS_KEY_OLD must be keys/],
    [
      { GDX_CUSTOMER_SECRETS_KEY: KEY.toString('hex'), GDX_CUSTOMER_SECRETS_PUBLIC_KEY: KEY.toString('hex') },
      /GDX_CUSTOMER_SECRETS_PUBLIC_KEY is not that of GDX_CUSTOMER_SECRETS_KEY/,
    ],
    [{ GDX_OUTBOUND_ALLOW: '10.0.0.0/8,nonsense' }, /nonsense is not a CIDR/],
    [{ GDX_OUTBOUND_ADDRESSES: '10/8' }, /10\/8 is not a CIDR/],
    [{ GDX_ALERT_WEBHOOK_URL: 'ops.example' }, /GDX_ALERT_WEBHOOK_URL must be a URL/],
    [{ GDX_ALERT_WEBHOOK_URL: 'https://ops:secret@ops.example/hook' }, /without a user or password/],
    [{ GDX_ALERT_WEBHOOK_URL: 'https://ops.example:99999/hook' }, /GDX_ALERT_WEBHOOK_URL must be a URL/],
    [{ GDX_PUBLIC_URL: 'https://grain example/' }, /GDX_PUBLIC_URL must be a URL/],
    [{ GDX_PUBLIC_URL: 'https://user@grain.example' }, /without a user/],
    [{ GDX_PUBLIC_URL: 'https://grain.example/?a' }, /GDX_PUBLIC_URL must be a URL.*query/],
    [{ GDX_PUBLIC_URL: 'https://grain.example/#a' }, /GDX_PUBLIC_URL must be a URL.*fragment/],
    [{ GDX_PUBLIC_URL: 'https://' }, /GDX_PUBLIC_URL must be a URL/],
    [{ NODE_ENV: 'prod' }, /NODE_ENV .*development, test or production/],
    [{ GDX_ALERT_SECRET: 'whsec_c2hvcnQ=' }, /GDX_ALERT_SECRET must be whsec_/],
  ])('refuses %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  it('takes ports that customers’ URLs may use, each of them one', () => {
    for (const GDX_OUTBOUND_PROXY of [
      'proxy:3128',
      'https://proxy.example',
      'http://proxy.example/x',
      'http://a/?b',
    ])
      expect(() => readConfig({ GDX_OUTBOUND_PROXY })).toThrow(/GDX_OUTBOUND_PROXY must be a URL like/);
    for (const GDX_OUTBOUND_PORTS of ['443,https', '443,0', '443,65536', '443,8443.5'])
      expect(() => readConfig({ GDX_OUTBOUND_PORTS })).toThrow(/GDX_OUTBOUND_PORTS must be ports/);
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
    [
      'no key that customers’ secrets are sealed to',
      { GDX_CUSTOMER_SECRETS_PUBLIC_KEY: '' },
      /^GDX_CUSTOMER_SECRETS_PUBLIC_KEY must be set/,
    ],
    [
      'the worker’s key in the API',
      { GDX_CUSTOMER_SECRETS_KEY: KEY.toString('hex') },
      /^GDX_CUSTOMER_SECRETS_KEY must not be given to the API/,
    ],
    [
      'an old key of the worker in the API',
      { GDX_CUSTOMER_SECRETS_KEY_OLD: KEY.toString('hex') },
      /^GDX_CUSTOMER_SECRETS_KEY must not be given to the API/,
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
    [
      'MongoDB without TLS',
      { MONGODB_URI: 'mongodb://gdx:s3cr3t-8f2a@db.example:27017/gdx?replicaSet=rs0' },
      /^MONGODB_URI must have tls=true, or name in GDX_CLOSED_NETWORK/,
    ],
    [
      'MongoDB with one member elsewhere',
      { MONGODB_URI: 'mongodb://127.0.0.1:27018,db.example/gdx?tls=false' },
      /^MONGODB_URI must have tls=true/,
    ],
    [
      'MongoDB by DNS without TLS',
      { MONGODB_URI: 'mongodb+srv://db.example/gdx?tls=false' },
      /^MONGODB_URI must have tls=true/,
    ],
    [
      'MongoDB that may be anybody',
      { MONGODB_URI: 'mongodb://db.example/gdx?tls=true&tlsAllowInvalidCertificates=true' },
      /^MONGODB_URI must not switch off the check of certificates/,
    ],
    [
      'a well-known password',
      { MONGODB_URI: 'mongodb://gdx:changeme@db.example/gdx?tls=true' },
      /^MONGODB_URI has a password that everybody tries/,
    ],
    [
      'the user’s name as password',
      { MONGODB_URI: 'mongodb://harvest:harvest@db.example/gdx?tls=true' },
      /^MONGODB_URI has a password that everybody tries/,
    ],
    ['Temporal without TLS', { TEMPORAL_TLS: '' }, /^TEMPORAL_TLS must be true, or name/],
    [
      'a closed network that nobody has named',
      { TEMPORAL_TLS: '', GDX_CLOSED_NETWORK: '  ' },
      /^TEMPORAL_TLS must be true, or name/,
    ],
    ['Temporal’s TLS switched off', { TEMPORAL_TLS: 'false' }, /^TEMPORAL_TLS must be true, or name/],
    [
      'certificates that nobody checks',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /^NODE_TLS_REJECT_UNAUTHORIZED must not be 0/,
    ],
  ])('does not start in production with %s', (_, change, message) => {
    // that, and nothing else
    expect(() => readConfig({ ...PUBLIC, ...change }, 'api')).toThrow(message);
    expect(() => readConfig({ ...PUBLIC, ...change }, 'api')).not.toThrow(/; /);
    const elsewhere = { NODE_ENV: 'development', GDX_CLOSED_NETWORK: 'of a test' };
    expect(() => readConfig({ ...PUBLIC, ...change, ...elsewhere }, 'api')).not.toThrow();
  });

  it.each(['false', 'no', '0', 'OFF', 'true', 'yes', '1', 'none'])(
    'GDX_CLOSED_NETWORK=%s names nothing, and is refused',
    (word) => {
      const open = { TEMPORAL_TLS: '', GDX_CLOSED_NETWORK: word };
      expect(() => readConfig({ ...PUBLIC, ...open }, 'api')).toThrow(
        /^GDX_CLOSED_NETWORK must say in words/,
      );
    },
  );

  it.each([
    ['GDX_CUSTOMER_SECRETS_KEY', 'a'.repeat(64), /^GDX_CUSTOMER_SECRETS_KEY can be guessed/],
    ['GDX_OUTBOUND_ALLOW', '10.0.0.0/8', /^GDX_OUTBOUND_ALLOW must be empty/],
    ['GDX_ALERT_WEBHOOK_URL', 'http://ops.example', /^GDX_ALERT_WEBHOOK_URL must begin with https/],
  ])('does not start the worker of production with an unsafe %s', (name, value, message) => {
    const own = { GDX_SECRET_KEY: '', GDX_CUSTOMER_SECRETS_KEY: KEY.toString('hex') };
    const worker = { ...PRODUCTION, ...own, GDX_CUSTOMER_SECRETS_PUBLIC_KEY: '' };
    expect(() => readConfig({ ...worker, [name]: value }, 'worker')).toThrow(message);
  });

  it.each<[what: string, change: object]>([
    [
      'a closed network',
      { GDX_CLOSED_NETWORK: 'VPC of three hosts', MONGODB_URI: 'mongodb://db/gdx', TEMPORAL_TLS: '' },
    ],
    [
      'parts on this machine',
      { MONGODB_URI: 'mongodb://[::1]:27018/gdx', TEMPORAL_ADDRESS: 'localhost:1', TEMPORAL_TLS: '' },
    ],
    ['MongoDB by DNS', { MONGODB_URI: 'mongodb+srv://gdx:9f8e7d@db.example/gdx' }],
    ['a key of Temporal Cloud', { TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: '' }],
    ['an authority for Temporal', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/certs/ca.pem', TEMPORAL_TLS: '' }],
    ['a certificate for Temporal', { TEMPORAL_TLS_CLIENT_CERT_PATH: '/certs/client.pem', TEMPORAL_TLS: '' }],
  ])('starts in production with %s', (_, change) => {
    expect(() => readConfig({ ...PUBLIC, ...change }, 'api')).not.toThrow();
  });

  it.each<[what: string, change: NodeJS.ProcessEnv, message: RegExp]>([
    ['all addresses', { HOST: '0.0.0.0' }, /^HOST must be an address of this machine/],
    ['all addresses of IPv6', { HOST: '::' }, /^HOST must be/],
    ['an address of the network', { HOST: '192.168.1.7' }, /^HOST must be/],
    ['a name', { HOST: 'gdx.example' }, /^HOST must be/],
    [
      'MongoDB elsewhere',
      { MONGODB_URI: 'mongodb://db.example/gdx' },
      /^GDX_SECRET_KEY must be set for a MONGODB_URI/,
    ],
    [
      'a member elsewhere',
      { MONGODB_URI: 'mongodb://localhost,10.1.2.3:27017/gdx' },
      /^GDX_SECRET_KEY must be set for a MONGODB_URI/,
    ],
  ])('keeps what is for development on this machine: %s', (_, change, message) => {
    expect(() => readConfig(change, 'api')).toThrow(message);
    expect(() =>
      readConfig({ ...change, GDX_CLOSED_NETWORK: 'the demo’s own network' }, 'api'),
    ).not.toThrow();
  });

  it.each(['127.0.0.1', 'localhost', '::1', '127.9.9.9'])('listens on %s in development', (HOST) => {
    expect(readConfig({ HOST })).toMatchObject({ host: HOST });
  });

  it('lists everything that is wrong and unsafe at once', () => {
    const wrong = {
      NODE_ENV: 'production',
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      GDX_SECRET_KEY: 'a'.repeat(64),
      GDX_OUTBOUND_ALLOW: '10.0.0.0/8',
      GDX_ALERT_WEBHOOK_URL: 'http://ops.example',
    };
    const missing = ['MONGODB_URI', 'TEMPORAL_ADDRESS', 'GDX_CUSTOMER_SECRETS_PUBLIC_KEY'];
    const names = ['PORT', 'LOG_LEVEL', ...missing, ...Object.keys(wrong).slice(3)];
    let message = '';
    try {
      readConfig(wrong, 'gdx');
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
