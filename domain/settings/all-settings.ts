import { keyOf, MAKE_KEY, MAKE_PAIR, readOldKeys, readPublicKey } from './key-settings';
import { choiceSetting, numberSetting, textSetting } from './setting';
import {
  isHttps,
  isGuessable,
  unsafeHost,
  unsafeMongodb,
  unsafePublicKey,
  unsafeTemporal,
} from './unsafe-settings';
import { readIssuer, readOpsUrl } from './operators-provider';
import * as rules from './settings-rules';

const A_DAY = { minimum: 0, maximum: 10_000_000 };

const NOT_THE_API =
  'GDX_CUSTOMER_SECRETS_KEY must not be given to the API: only the worker opens customers’ secrets';

/**
 * Every setting, one row each: its default and one sentence, how it is read, whether it is secret, who needs it, and
 * when it is unsafe. `Config`, `gdx config`, docs/settings.md and the checks at start come from it
 * (docs/contract.md S1).
 */
export const ALL_SETTINGS = {
  NODE_ENV: choiceSetting(
    ['development', 'test', 'production'],
    'development, test or production, which refuses unsafe settings',
    'development',
    {
      unsafe: (_, { texts }) =>
        texts.NODE_TLS_REJECT_UNAUTHORIZED === '0' &&
        'NODE_TLS_REJECT_UNAUTHORIZED must not be 0: anybody could be the other side',
    },
  ),
  HOST: textSetting('address that the API, and the metrics and health of both processes, listen on', {
    default: '127.0.0.1',
    unsafeInDevelopment: unsafeHost,
  }),
  PORT: numberSetting('port of the API', 3000, { minimum: 0, maximum: 65_535 }, { of: 'api' }),
  GDX_OPS_PORT: textSetting(
    'port that serves `/ops`, which no other port then serves; 0: any free one. Unset: 3001 in production, else that of the API',
    { of: 'api', read: rules.readOpsPort },
  ),
  GDX_OPS_URL: textSetting(
    'address under which operators reach `/ops`, for GDX_OIDC_ISSUER. Unset: this machine, not in production',
    {
      of: 'api',
      read: readOpsUrl,
      unsafe: (url) =>
        url !== '' &&
        !isHttps(url) &&
        'GDX_OPS_URL must begin with https:// in production: sessions go there',
    },
  ),
  GDX_OIDC_ISSUER: textSetting(
    'API: OpenID Connect provider at which operators sign in for `/ops`, beside their tokens. Unset: by token alone',
    {
      of: 'api',
      read: readIssuer,
      unsafe: (url) =>
        url !== '' &&
        !isHttps(url) &&
        'GDX_OIDC_ISSUER must begin with https:// in production: it says who operators are',
    },
  ),
  GDX_OIDC_CLIENT_ID: textSetting('the id of this service at the provider', { of: 'api' }),
  GDX_OIDC_CLIENT_SECRET: textSetting('its secret there', { of: 'api', secret: 'whole', isOfApiAlone: true }),
  GDX_OIDC_SCOPES: textSetting('what is asked of the provider, with blanks between', {
    of: 'api',
    default: 'openid profile email',
  }),
  GDX_OIDC_GROUPS_CLAIM: textSetting('the claim in which the provider names somebody’s groups', {
    of: 'api',
    default: 'groups',
  }),
  GDX_OIDC_OPERATE_GROUPS: textSetting('comma-separated: groups whose members act on `/ops`', {
    of: 'api',
    read: rules.listOf,
  }),
  GDX_OIDC_READ_GROUPS: textSetting('comma-separated: groups whose members only look', {
    of: 'api',
    read: rules.listOf,
  }),
  MONGODB_URI: textSetting(
    'MongoDB, a replica set; the path names the database. Unset: a running `npm start`, else this machine',
    { read: rules.readMongodbUri, needed: { by: ['api', 'worker', 'gdx'] }, unsafe: unsafeMongodb },
  ),
  TEMPORAL_ADDRESS: textSetting('Temporal. Unset: a running `npm start`, else this machine', {
    read: rules.readTemporalAddress,
    needed: { by: ['api', 'worker', 'gdx'] },
    unsafe: unsafeTemporal,
  }),
  TEMPORAL_NAMESPACE: textSetting('Temporal namespace. Unset: that of a running `npm start`, else `default`'),
  TEMPORAL_TLS: textSetting(
    'true or false: TLS to Temporal. Unset: where TEMPORAL_API_KEY or another TEMPORAL_TLS_ is set',
    { read: rules.readTemporalTls },
  ),
  TEMPORAL_API_KEY: textSetting('key of Temporal Cloud', { secret: 'whole' }),
  TEMPORAL_TLS_SERVER_NAME: textSetting(
    'the name in Temporal’s certificate, where it is not that of its address',
  ),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: textSetting('file of the authority that Temporal’s certificate is of'),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: textSetting('the same as PEM', { isProse: true }),
  TEMPORAL_TLS_CLIENT_CERT_PATH: textSetting('file of the certificate that Temporal asks for'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: textSetting('the same as PEM', { isProse: true }),
  TEMPORAL_TLS_CLIENT_KEY_PATH: textSetting('file of its key', { secret: 'whole' }),
  TEMPORAL_TLS_CLIENT_KEY_DATA: textSetting('the same as PEM', { isProse: true, secret: 'whole' }),
  GDX_CLOSED_NETWORK: textSetting(
    'what keeps the network between the parts closed, in words (“WireGuard between three hosts”): then MongoDB and Temporal may do without TLS, and a process of development may be reached from beyond this machine',
    { isProse: true, read: rules.readClosedNetwork },
  ),
  GDX_TOKEN: textSetting('`gdx push` and `gdx listen` alone: the token of the ERP, the key of the channel', {
    of: 'gdx',
    secret: 'whole',
  }),
  GDX_SIGNING_SECRET: textSetting('`gdx listen` alone: the channel’s signing secret, to check pages with', {
    of: 'gdx',
    secret: 'whole',
  }),
  GDX_OPERATOR_TOKEN: textSetting(
    'gdx alone: the token of whoever calls it, of `gdx operator add --role operate`; their changes are recorded under their name',
    { of: 'gdx', secret: 'whole' },
  ),
  GDX_OPERATOR: textSetting(
    'gdx alone: the name of whoever calls it, where they have no token; in production one of the two is needed to change something',
    { of: 'gdx', isProse: true },
  ),
  GDX_TASK_QUEUE: textSetting('Temporal task queue of the worker', { default: 'gdx' }),
  GDX_WORKER_BUILD_ID: textSetting(
    'version of the worker, such as the release: `temporal worker deployment set-current-version` decides which one works. Unset: every worker works',
    { of: 'worker', read: rules.readBuildId },
  ),
  TEMPORAL_DEPLOYMENT_NAME: textSetting(
    'set by Temporal’s Worker Controller, which then decides which version works. Unset: GDX_TASK_QUEUE',
  ),
  TEMPORAL_WORKER_BUILD_ID: textSetting(
    'set by Temporal’s Worker Controller as well: version of the worker',
    { of: 'worker' },
  ),
  GDX_PUBLIC_URL: textSetting('address under which farmers and customers reach the API', {
    of: 'api',
    read: rules.readPublicUrl,
    unsafe: (url, { part }) =>
      part === 'api' &&
      !isHttps(url) &&
      'GDX_PUBLIC_URL must begin with https:// in production: farmers and customers are sent there',
  }),
  GDX_SECURITY_CONTACT: textSetting(
    'whom to tell of a hole, like mailto:security@grain.example, in `/.well-known/security.txt`. Unset: no such page',
    { of: 'api', read: rules.readSecurityContact },
  ),
  GDX_TEMPORAL_UI_URL: textSetting('address of the Temporal UI, for links', { of: 'api' }),
  GDX_SECRET_KEY: textSetting(
    'API and gdx, never the worker: encrypts what the API reads again, 32 bytes as base64 or hex',
    {
      read: keyOf('GDX_SECRET_KEY', MAKE_KEY),
      secret: 'whole',
      needed: { by: ['api', 'gdx'], how: MAKE_KEY },
      never: {
        to: 'worker',
        because: 'GDX_SECRET_KEY must not be given to the worker: it opens what only the API may read',
      },
      unsafe: (key) => isGuessable(key) && 'GDX_SECRET_KEY can be guessed: use `openssl rand -base64 32`',
      unsafeInDevelopment: unsafePublicKey,
    },
  ),
  GDX_SECRET_KEY_OLD: textSetting(
    'API and gdx, never the worker: other keys, comma-separated, that still open what is stored, until `gdx secrets rewrap` has sealed it with the new key',
    {
      read: readOldKeys('GDX_SECRET_KEY_OLD'),
      secret: 'whole',
      never: {
        to: 'worker',
        because: 'GDX_SECRET_KEY_OLD must not be given to the worker: it opens what only the API may read',
      },
    },
  ),
  GDX_CUSTOMER_SECRETS_KEY: textSetting(
    'worker, and gdx where it may; never the API: opens customers’ secrets, 32 bytes as base64 or hex (`gdx secrets keys`)',
    {
      read: keyOf('GDX_CUSTOMER_SECRETS_KEY', MAKE_PAIR),
      secret: 'whole',
      needed: { by: ['worker'], how: MAKE_PAIR },
      never: { to: 'api', because: NOT_THE_API },
      unsafe: (key) =>
        isGuessable(key) && 'GDX_CUSTOMER_SECRETS_KEY can be guessed: `gdx secrets keys` makes a pair',
    },
  ),
  GDX_CUSTOMER_SECRETS_KEY_OLD: textSetting(
    'comma-separated: private keys before it, until `gdx secrets rewrap` has sealed everything to the new one',
    {
      read: readOldKeys('GDX_CUSTOMER_SECRETS_KEY_OLD'),
      secret: 'whole',
      never: { to: 'api', because: NOT_THE_API },
    },
  ),
  GDX_CUSTOMER_SECRETS_PUBLIC_KEY: textSetting(
    'API and gdx: customers’ secrets are sealed to it. Unset: that of GDX_CUSTOMER_SECRETS_KEY',
    {
      of: 'api',
      read: readPublicKey,
      secret: 'whole',
      needed: { by: ['api', 'gdx'], unless: 'GDX_CUSTOMER_SECRETS_KEY', how: MAKE_PAIR },
    },
  ),
  GDX_SERVICE_NAME: textSetting('what farmers read as the name of this service', {
    of: 'api',
    default: 'Grain Data Exchange',
    isProse: true,
  }),
  GDX_SMS_PROVIDER: choiceSetting(
    ['console', 'webhook', 'twilio'],
    'who texts codes to farmers: console (shown, not sent; not in production), webhook or twilio',
    'console',
    {
      of: 'api',
      unsafe: (provider, { part }) =>
        part === 'api' &&
        provider === 'console' &&
        'GDX_SMS_PROVIDER must be webhook or twilio in production: console shows codes to everybody',
    },
  ),
  GDX_SMS_WEBHOOK_URL: textSetting(
    'webhook: gets { "to", "body" }, or { "to", "via": "voice", "language", "body" } to be read out, as JSON by POST; answers 2xx. A text with the `Idempotency-Key` of one that was taken is a repetition',
    {
      of: 'api',
      read: rules.readTextWebhook,
      secret: 'path',
      needed: { by: ['api'], for: 'webhook' },
      unsafe: (url) =>
        url !== '' &&
        !isHttps(url) &&
        'GDX_SMS_WEBHOOK_URL must begin with https:// in production: codes go there',
    },
  ),
  GDX_SMS_WEBHOOK_TOKEN: textSetting('webhook: sent as `Authorization: Bearer`', {
    of: 'api',
    secret: 'whole',
  }),
  GDX_TWILIO_ACCOUNT_SID: textSetting('twilio: account', {
    of: 'api',
    needed: { by: ['api'], for: 'twilio' },
  }),
  GDX_TWILIO_AUTH_TOKEN: textSetting('twilio: its token', {
    of: 'api',
    secret: 'whole',
    isOfApiAlone: true,
    needed: { by: ['api'], for: 'twilio' },
  }),
  GDX_TWILIO_FROM: textSetting('twilio: sending number (+1...) or messaging service (MG...)', {
    of: 'api',
    needed: { by: ['api'], for: 'twilio' },
  }),
  GDX_TWILIO_CALL_FROM: textSetting(
    'twilio: calling number (+1...). Unset: the sending number; nobody is called where that is a messaging service',
    { of: 'api' },
  ),
  GDX_SMS_COUNTRIES: textSetting('comma-separated: countries whose phones get codes, of those with +1', {
    of: 'api',
    default: 'US,CA',
    read: rules.readCountries,
  }),
  GDX_CODES_PER_DAY: numberSetting(
    'codes a day, of all channels; browsers that a phone has used before are not held up',
    20_000,
    A_DAY,
    { of: 'api' },
  ),
  GDX_CODES_PER_CHANNEL_PER_DAY: numberSetting(
    'codes a day that the links of one channel may ask for; browsers that a phone has used before are not held up',
    5_000,
    A_DAY,
    { of: 'api' },
  ),
  GDX_CODES_UNLISTED_PER_DAY: numberSetting(
    'codes a day to phones that no account lists, of all channels',
    100,
    A_DAY,
    { of: 'api' },
  ),
  GDX_TRUSTED_PROXIES: numberSetting(
    'how many proxies stand before the API: so many last entries of X-Forwarded-For are believed, with or without a port',
    0,
    { minimum: 0, maximum: 10 },
    { of: 'api' },
  ),
  GDX_OUTBOUND_ALLOW: textSetting('comma-separated CIDRs that customer URLs may point into', {
    read: rules.cidrsOf('GDX_OUTBOUND_ALLOW'),
    unsafe: (cidrs) =>
      rules.listOf(cidrs).length > 0 &&
      'GDX_OUTBOUND_ALLOW must be empty in production: customers have public addresses',
  }),
  GDX_OUTBOUND_PORTS: textSetting('comma-separated ports that customer URLs may use in production', {
    default: '443,8443',
    read: rules.readOutboundPorts,
  }),
  GDX_OUTBOUND_ADDRESSES: textSetting(
    'comma-separated CIDRs, such as 203.0.113.7/32, that posts to customers come from: `/guide` shows them for firewalls. Unset: it says to ask',
    { of: 'api', read: rules.cidrsOf('GDX_OUTBOUND_ADDRESSES') },
  ),
  GDX_OUTBOUND_PROXY: textSetting(
    'worker and gdx: a proxy like http://proxy.example:3128 through which customers are reached, by CONNECT to an address that was checked here',
    { of: 'worker', read: rules.readOutboundProxy, secret: 'whole' },
  ),
  GDX_ALERT_WEBHOOK_URL: textSetting('gets every alert by POST, signed; unset: alerts are kept and logged', {
    of: 'worker',
    read: rules.readAlertUrl,
    secret: 'path',
    unsafe: (url) =>
      url !== '' && !isHttps(url) && 'GDX_ALERT_WEBHOOK_URL must begin with https:// in production',
  }),
  GDX_ALERT_SECRET: textSetting(
    'signs alerts: whsec_ and 24 to 64 bytes as base64. Unset: `gdx alerts --secret` shows the one in use',
    { of: 'worker', read: rules.readAlertSigningSecret, secret: 'whole' },
  ),
  GDX_RECONCILE_SECONDS: numberSetting(
    'how often every channel is checked for its workflow; the worker that started last decides',
    120,
    { minimum: 1, maximum: 3600 },
    { of: 'worker' },
  ),
  GDX_RETENTION_DAYS: numberSetting(
    'days that reports of failed deliveries are kept, of others at most 30',
    400,
    {
      minimum: 1,
      maximum: 3650,
    },
  ),
  GDX_METRICS_PORT: textSetting(
    'port of metrics, and of the worker’s health; 0: any free one; `off`. Unset: 9464 for the API, 9465 for the worker',
    { read: rules.readMetricsPort },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: textSetting(
    'API and worker: the OpenTelemetry collector that traces are sent to, like http://collector.example:4318. Unset: no traces',
    { read: rules.readTracesUrl },
  ),
  LOG_LEVEL: choiceSetting(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'trace, debug, info, warn, error, fatal or silent',
    'info',
  ),
};
