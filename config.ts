import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import ipaddr from 'ipaddr.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type CustomerKeys,
  type Part,
  readCustomerKeys,
  readOldKeys,
  readSealingKey,
} from './domain/key-settings';
import { legible, trimmed } from './domain/pasted-text';
import { readSecretKey } from './domain/secret-key';
import {
  type AlertWebhook,
  checkTexts,
  type CodeSettings,
  isPlainUrl,
  readAlertWebhook,
  readCountries,
  readMetricsPort,
  refuseUnseen,
  type SmsSettings,
} from './domain/settings-rules';
import { type CheckedSettings, unsafeDevelopment, unsafeSettings } from './domain/unsafe-settings';

/** The environment of the process, for child processes to inherit. Nothing else reads `process.env`. */
export const environment: NodeJS.ProcessEnv = process.env;

const setting = <T extends string>(description: string, fallback: T) =>
  Type.String({ description, default: fallback });

const aDay = (description: string, fallback: number) =>
  Type.Integer({ description, default: fallback, minimum: 0, maximum: 10_000_000 });

/** Every setting: name, default, meaning (docs/contract.md S1). `gdx config` prints this table. */
export const SETTINGS = Type.Object({
  NODE_ENV: Type.Union(
    ['development', 'test', 'production'].map((name) => Type.Literal(name)),
    { description: 'development, test or production, which refuses unsafe settings', default: 'development' },
  ),
  HOST: setting('address that the API, and the metrics and health of both processes, listen on', '127.0.0.1'),
  PORT: Type.Integer({ description: 'port of the API', default: 3000, minimum: 0, maximum: 65535 }),
  MONGODB_URI: setting(
    'MongoDB, a replica set; the path names the database. Unset: a running `npm start`, else this machine',
    '',
  ),
  TEMPORAL_ADDRESS: setting('Temporal. Unset: a running `npm start`, else this machine', ''),
  TEMPORAL_NAMESPACE: setting('Temporal namespace. Unset: that of a running `npm start`, else `default`', ''),
  GDX_CLOSED_NETWORK: setting(
    'what keeps the network between the parts closed, in words (“WireGuard between three hosts”): then MongoDB and Temporal may do without TLS, and a process of development may be reached from beyond this machine',
    '',
  ),
  GDX_TOKEN: setting('`gdx push` and `gdx listen` alone: the token of the ERP, the key of the channel', ''),
  GDX_SIGNING_SECRET: setting('`gdx listen` alone: the channel’s signing secret, to check pages with', ''),
  GDX_TASK_QUEUE: setting('Temporal task queue of the worker', 'gdx'),
  GDX_WORKER_BUILD_ID: setting(
    'version of the worker, such as the release: `temporal worker deployment set-current-version` decides which one works. Unset: every worker works',
    '',
  ),
  TEMPORAL_DEPLOYMENT_NAME: setting(
    'set by Temporal’s Worker Controller, which then decides which version works. Unset: GDX_TASK_QUEUE',
    '',
  ),
  TEMPORAL_WORKER_BUILD_ID: setting('the same: version of the worker', ''),
  GDX_PUBLIC_URL: setting('address under which farmers and customers reach the API', ''),
  GDX_TEMPORAL_UI_URL: setting('address of the Temporal UI, for links', ''),
  GDX_SECRET_KEY: setting(
    'API and gdx, never the worker: encrypts what the API reads again, 32 bytes as base64 or hex',
    '',
  ),
  GDX_SECRET_KEY_OLD: setting(
    'comma-separated: also open what is stored, until `gdx secrets rewrap` has sealed it with the new key',
    '',
  ),
  GDX_CUSTOMER_SECRETS_KEY: setting(
    'worker, and gdx where it may; never the API: opens customers’ secrets, 32 bytes as base64 or hex (`gdx secrets keys`)',
    '',
  ),
  GDX_CUSTOMER_SECRETS_KEY_OLD: setting(
    'comma-separated: private keys before it, until `gdx secrets rewrap` has sealed everything to the new one',
    '',
  ),
  GDX_CUSTOMER_SECRETS_PUBLIC_KEY: setting(
    'API and gdx: customers’ secrets are sealed to it. Unset: that of GDX_CUSTOMER_SECRETS_KEY',
    '',
  ),
  GDX_SERVICE_NAME: setting('what farmers read as the name of this service', 'Grain Data Exchange'),
  GDX_SMS_PROVIDER: Type.Union(
    ['console', 'webhook', 'twilio'].map((provider) => Type.Literal(provider)),
    {
      description:
        'who texts codes to farmers: console (shown, not sent; not in production), webhook or twilio',
      default: 'console',
    },
  ),
  GDX_SMS_WEBHOOK_URL: setting(
    'webhook: gets { "to", "body" }, or { "to", "via": "voice", "language", "body" } to be read out, as JSON by POST; answers 2xx',
    '',
  ),
  GDX_SMS_WEBHOOK_TOKEN: setting('webhook: sent as `Authorization: Bearer`', ''),
  GDX_TWILIO_ACCOUNT_SID: setting('twilio: account', ''),
  GDX_TWILIO_AUTH_TOKEN: setting('twilio: its token', ''),
  GDX_TWILIO_FROM: setting('twilio: sending number (+1...) or messaging service (MG...)', ''),
  GDX_TWILIO_CALL_FROM: setting(
    'twilio: calling number (+1...). Unset: the sending number; nobody is called where that is a messaging service',
    '',
  ),
  GDX_SMS_COUNTRIES: setting('comma-separated: countries whose phones get codes, of those with +1', 'US,CA'),
  GDX_CODES_PER_DAY: aDay(
    'codes a day, of all channels; browsers that a phone has used before are not held up',
    20_000,
  ),
  GDX_CODES_PER_CHANNEL_PER_DAY: aDay(
    'codes a day that the links of one channel may ask for, likewise',
    5_000,
  ),
  GDX_CODES_UNLISTED_PER_DAY: aDay('codes a day to phones that no account lists, of all channels', 100),
  GDX_TRUSTED_PROXIES: Type.Integer({
    description:
      'how many proxies stand before the API: so many last entries of X-Forwarded-For are believed, with or without a port',
    default: 0,
    minimum: 0,
    maximum: 10,
  }),
  GDX_OUTBOUND_ALLOW: setting('comma-separated CIDRs that customer URLs may point into', ''),
  GDX_OUTBOUND_PORTS: setting('comma-separated ports that customer URLs may use in production', '443,8443'),
  GDX_ALERT_WEBHOOK_URL: setting('gets every alert by POST, signed; unset: alerts are kept and logged', ''),
  GDX_ALERT_SECRET: setting(
    'signs alerts: whsec_ and 24 to 64 bytes as base64. Unset: `gdx alerts --secret` shows the one in use',
    '',
  ),
  GDX_RECONCILE_SECONDS: Type.Integer({
    description: 'how often every channel is checked for its workflow; the worker that started last decides',
    default: 120,
    minimum: 1,
    maximum: 3600,
  }),
  GDX_RETENTION_DAYS: Type.Integer({
    description: 'days that reports of failed deliveries are kept, of others at most 30',
    default: 400,
    minimum: 1,
    maximum: 3650,
  }),
  GDX_METRICS_PORT: setting(
    'port of metrics, and of the worker’s health; 0: any free one; `off`. Unset: 9464 for the API, 9465 for the worker',
    '',
  ),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    { description: 'trace, debug, info, warn, error, fatal or silent', default: 'info' },
  ),
});

type Settings = Static<typeof SETTINGS>;

export interface Config {
  production: boolean;
  host: string;
  port: number;
  mongodbUri: string;
  temporalAddress: string;
  temporalNamespace: string;
  taskQueue: string;
  /** Undefined: the worker has no version. */
  workerBuildId: string | undefined;
  /** The deployment that worker versions belong to. Undefined: the task queue, and no Worker Controller switches versions. */
  workerDeployment: string | undefined;
  publicUrl: string;
  temporalUiUrl: string;
  /** Undefined in the worker, which needs none. */
  secretKey: Buffer | undefined;
  oldSecretKeys: Buffer[];
  customerKeys: CustomerKeys;
  outboundAllow: string[];
  outboundPorts: number[];
  retentionDays: number;
  reconcileEveryMs: number;
  /** Undefined: the default of each process (9464, 9465). */
  metricsPort: number | 'off' | undefined;
  logLevel: string;
  serviceName: string;
  trustedProxies: number;
  sms: SmsSettings;
  codes: CodeSettings;
  alertWebhook: AlertWebhook | undefined;
}

/** A setting is missing or wrong; the message lists every one of them and what to do. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/**
 * Reads and checks all settings at once.
 * @param part each process needs other settings: only the API reaches farmers, only the worker opens customers’ secrets
 * @param root the checkout whose running `npm start` provides unset values outside production
 * @throws ConfigurationError naming every wrong setting, and in production every unsafe one
 */
export function readConfig(
  env: NodeJS.ProcessEnv = environment,
  part: Part = 'gdx',
  root = projectRoot(),
): Config {
  const problems: string[] = [];
  refuseUnseen(env, Object.keys(SETTINGS.properties), problems);
  const settings = parse(env, problems);
  const production = settings.NODE_ENV === 'production';
  const isGiven = production || settings.MONGODB_URI || settings.TEMPORAL_ADDRESS;
  const running = isGiven ? undefined : readRunning(root);
  const required = (name: keyof Settings, value: string | undefined, development: string) => {
    if (production && !value) problems.push(`${name} must be set in production`);
    return value || development;
  };
  const mongodbUri = required(
    'MONGODB_URI',
    settings.MONGODB_URI || running?.mongodb_uri,
    'mongodb://127.0.0.1:27017/gdx',
  );
  if (!/^mongodb(\+srv)?:\/\//.test(mongodbUri)) problems.push('MONGODB_URI must begin with mongodb://');
  const config: Config = {
    production,
    host: settings.HOST,
    port: settings.PORT,
    mongodbUri,
    temporalAddress: required(
      'TEMPORAL_ADDRESS',
      settings.TEMPORAL_ADDRESS || running?.temporal_address,
      '127.0.0.1:7233',
    ),
    temporalNamespace: settings.TEMPORAL_NAMESPACE || running?.temporal_namespace || 'default',
    taskQueue: settings.GDX_TASK_QUEUE,
    workerBuildId: settings.GDX_WORKER_BUILD_ID || settings.TEMPORAL_WORKER_BUILD_ID || undefined,
    workerDeployment: settings.TEMPORAL_DEPLOYMENT_NAME || undefined,
    publicUrl: settings.GDX_PUBLIC_URL || running?.api_url || `http://127.0.0.1:${settings.PORT}`,
    temporalUiUrl: settings.GDX_TEMPORAL_UI_URL || running?.temporal_ui_url || '',
    secretKey: readSealingKey(settings.GDX_SECRET_KEY, production, part, problems),
    oldSecretKeys: readOldKeys('GDX_SECRET_KEY_OLD', settings.GDX_SECRET_KEY_OLD, problems),
    customerKeys: readCustomerKeys(
      {
        private: settings.GDX_CUSTOMER_SECRETS_KEY,
        public: settings.GDX_CUSTOMER_SECRETS_PUBLIC_KEY,
        old: settings.GDX_CUSTOMER_SECRETS_KEY_OLD,
      },
      production,
      part,
      problems,
    ),
    outboundAllow: settings.GDX_OUTBOUND_ALLOW.split(',').flatMap((cidr) => cidr.trim() || []),
    outboundPorts: settings.GDX_OUTBOUND_PORTS.split(',').map(Number),
    retentionDays: settings.GDX_RETENTION_DAYS,
    reconcileEveryMs: settings.GDX_RECONCILE_SECONDS * 1_000,
    metricsPort: readMetricsPort(settings.GDX_METRICS_PORT, problems),
    logLevel: settings.LOG_LEVEL as string,
    serviceName: settings.GDX_SERVICE_NAME,
    trustedProxies: settings.GDX_TRUSTED_PROXIES,
    sms: smsSettings(settings),
    codes: {
      countries: readCountries(settings.GDX_SMS_COUNTRIES, problems),
      perDay: settings.GDX_CODES_PER_DAY,
      perChannelDay: settings.GDX_CODES_PER_CHANNEL_PER_DAY,
      unlistedPerDay: settings.GDX_CODES_UNLISTED_PER_DAY,
    },
    alertWebhook: readAlertWebhook(
      { url: settings.GDX_ALERT_WEBHOOK_URL, secret: settings.GDX_ALERT_SECRET },
      problems,
    ),
  };
  checkForms(config, problems);
  if (part === 'api') checkTexts(config.sms, problems);
  const checked = checkedSettings(config, settings, env, part);
  problems.push(...(production ? unsafeSettings(checked) : unsafeDevelopment(checked)));
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return config;
}

/** The ports of this container's process, for its health check: all else is for the process itself to judge. */
export function readPorts(env: NodeJS.ProcessEnv = environment): Pick<Config, 'port' | 'metricsPort'> {
  const settings = parse(env, []);
  return { port: settings.PORT, metricsPort: readMetricsPort(settings.GDX_METRICS_PORT, []) };
}

const smsSettings = (settings: Settings): SmsSettings => ({
  provider: settings.GDX_SMS_PROVIDER as SmsSettings['provider'],
  webhook: { url: settings.GDX_SMS_WEBHOOK_URL, token: settings.GDX_SMS_WEBHOOK_TOKEN },
  twilio: {
    accountSid: settings.GDX_TWILIO_ACCOUNT_SID,
    authToken: settings.GDX_TWILIO_AUTH_TOKEN,
    from: settings.GDX_TWILIO_FROM,
    callFrom: settings.GDX_TWILIO_CALL_FROM,
  },
});

function checkForms(
  { outboundAllow, outboundPorts, workerBuildId, publicUrl }: Config,
  problems: string[],
): void {
  for (const cidr of outboundAllow) {
    if (!ipaddr.isValidCIDR(cidr))
      problems.push(`GDX_OUTBOUND_ALLOW: ${cidr} is not a CIDR such as 10.1.0.0/16`);
  }
  if (workerBuildId && !/^[\w.+-]{1,100}$/.test(workerBuildId))
    problems.push('GDX_WORKER_BUILD_ID must be up to 100 letters, digits or any of . _ + -');
  if (!outboundPorts.every((port) => Number.isInteger(port) && port > 0 && port < 65_536))
    problems.push('GDX_OUTBOUND_PORTS must be ports such as 443,8443');
  if (!isPlainUrl(publicUrl) || /[?#]/.test(publicUrl))
    problems.push(
      'GDX_PUBLIC_URL must be a URL like https://grain.example, without a user, password, query or fragment',
    );
}

function checkedSettings(
  { host, production, mongodbUri, temporalAddress, outboundAllow, publicUrl, sms }: Config,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  part: Part,
): CheckedSettings {
  return {
    host,
    mongodbUri: production ? settings.MONGODB_URI && mongodbUri : mongodbUri,
    temporal: {
      address: temporalAddress,
      apiKey: Boolean(env.TEMPORAL_API_KEY),
      tls: env.TEMPORAL_TLS ?? '',
      certificate: Boolean(env.TEMPORAL_TLS_SERVER_CA_CERT_PATH ?? env.TEMPORAL_TLS_CLIENT_CERT_PATH),
    },
    secretKey: readSecretKey(settings.GDX_SECRET_KEY),
    closedNetwork: settings.GDX_CLOSED_NETWORK,
    rejectUnauthorized: env.NODE_TLS_REJECT_UNAUTHORIZED ?? '',
    customerKey: readSecretKey(settings.GDX_CUSTOMER_SECRETS_KEY),
    outboundAllow,
    alertUrl: settings.GDX_ALERT_WEBHOOK_URL,
    smsUrl: sms.webhook.url,
    farmers: part === 'api' ? { publicUrl, smsProvider: sms.provider } : undefined,
  };
}

/**
 * Settings of the wrong type are reported like the others and treated as unset, as are empty ones. What a file of settings leaves
 * at the end of a value, such as the CR of CR LF, is no part of it.
 */
function parse(env: NodeJS.ProcessEnv, problems: string[]): Settings {
  const given = Object.entries(env).map(([name, value = '']) => [name, trimmed(value)] as const);
  const data = Object.fromEntries(given.filter(([, value]) => value !== ''));
  try {
    return envSchema<Settings>({ schema: SETTINGS, data, env: false });
  } catch (error) {
    const { errors = [] } = error as { errors?: { instancePath: string; message?: string }[] };
    // A union reports an error for every member that does not match, and its own error last.
    const wrong = new Map(errors.map(({ instancePath, message }) => [instancePath.slice(1), message]));
    if (wrong.size === 0) throw error;
    for (const [name, message = 'is wrong'] of wrong) {
      const { description } = SETTINGS.properties[name as keyof Settings];
      problems.push(`${name} ${message} (${description})`);
    }
    return parse(Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.has(name))), problems);
  }
}

/** Settings of `gdx push` and `gdx listen`, which run where the ERP or the customer is: no other setting of the service has to be right there. */
export function serviceSettings(env: NodeJS.ProcessEnv = environment, root = projectRoot()) {
  const url = trimmed(env.GDX_PUBLIC_URL ?? '') || readRunning(root)?.api_url || '';
  const { GDX_TOKEN = '', GDX_SIGNING_SECRET = '' } = env;
  return { url, token: legible(GDX_TOKEN), signingSecret: legible(GDX_SIGNING_SECRET) };
}

/** The file `.local/running.json` of a running `npm start`, for `gdx` and other processes without settings. */
export interface Running {
  mongodb_uri: string;
  temporal_address: string;
  temporal_namespace: string;
  temporal_ui_url?: string | undefined;
  api_url: string;
  pid: number;
  started_at: string;
}

/** The running `npm start` of a checkout; undefined when there is none or the file is stale. */
export function readRunning(root: string): Running | undefined {
  try {
    const running = JSON.parse(readFileSync(path.join(root, '.local', 'running.json'), 'utf8')) as Running;
    return process.kill(running.pid, 0) ? running : undefined;
  } catch {
    return undefined;
  }
}

// The folder of package.json, both from the sources and from dist/.
function projectRoot(): string {
  return path.basename(__dirname) === 'dist' ? path.dirname(__dirname) : __dirname;
}
