import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import ipaddr from 'ipaddr.js';
import path from 'node:path';
import { readRunning } from './deploy/local/running';
import { readSecretKey } from './domain/secret-key';
import {
  type AlertWebhook,
  checkTexts,
  isPlainUrl,
  readAlertWebhook,
  readMetricsPort,
  readOldKeys,
  readSealingKey,
  type SmsSettings,
} from './domain/settings-rules';
import { unsafeSettings } from './domain/unsafe-settings';

/** The environment as the process got it, for child processes to inherit. Nothing else reads `process.env`. */
export const environment: NodeJS.ProcessEnv = process.env;

const setting = <T extends string>(description: string, fallback: T) =>
  Type.String({ description, default: fallback });

/** Every setting: name, default, meaning (contract 8). `gdx config` prints this table. */
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
  GDX_TASK_QUEUE: setting('Temporal task queue of the worker', 'gdx'),
  GDX_WORKER_BUILD_ID: setting(
    'version of the worker, such as the release: `gdx worker switch` decides which one works. Unset: every worker works',
    '',
  ),
  GDX_PUBLIC_URL: setting('address under which farmers and customers reach the API', ''),
  GDX_TEMPORAL_UI_URL: setting('address of the Temporal UI, for links', ''),
  GDX_SECRET_KEY: setting('encrypts stored secrets: 32 bytes as base64 or hex', ''),
  GDX_SECRET_KEY_OLD: setting(
    'comma-separated: also open what is stored, until `gdx secrets rewrap` has sealed it with the new key',
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
  GDX_SMS_WEBHOOK_URL: setting('webhook: gets { "to", "body" } as JSON by POST, answers 2xx', ''),
  GDX_SMS_WEBHOOK_TOKEN: setting('webhook: sent as `Authorization: Bearer`', ''),
  GDX_TWILIO_ACCOUNT_SID: setting('twilio: account', ''),
  GDX_TWILIO_AUTH_TOKEN: setting('twilio: its token', ''),
  GDX_TWILIO_FROM: setting('twilio: sending number (+1...) or messaging service (MG...)', ''),
  GDX_TRUSTED_PROXIES: Type.Integer({
    description:
      'how many proxies stand before the API: so many last entries of X-Forwarded-For are believed',
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
    description: 'days that delivery reports are kept',
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
  publicUrl: string;
  temporalUiUrl: string;
  secretKey: Buffer;
  oldSecretKeys: Buffer[];
  outboundAllow: string[];
  outboundPorts: number[];
  retentionDays: number;
  reconcileEveryMs: number;
  /** Per process where it is not given (9464, 9465). */
  metricsPort: number | 'off' | undefined;
  logLevel: string;
  serviceName: string;
  trustedProxies: number;
  sms: SmsSettings;
  alertWebhook: AlertWebhook | undefined;
}

/** A setting is missing or wrong; the message lists every one of them and what to do. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/**
 * Reads and checks all settings at once.
 * @param part the API needs to reach farmers, the others do not
 * @throws ConfigurationError naming every wrong setting, and in production every unsafe one
 */
export function readConfig(env: NodeJS.ProcessEnv = environment, part: 'api' | 'other' = 'other'): Config {
  const problems: string[] = [];
  const settings = parse(env, problems);
  const production = settings.NODE_ENV === 'production';
  const running = settings.MONGODB_URI || settings.TEMPORAL_ADDRESS ? undefined : readRunning(projectRoot());
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
    workerBuildId: settings.GDX_WORKER_BUILD_ID || undefined,
    publicUrl: settings.GDX_PUBLIC_URL || running?.api_url || `http://127.0.0.1:${settings.PORT}`,
    temporalUiUrl: settings.GDX_TEMPORAL_UI_URL || running?.temporal_ui_url || '',
    secretKey: readSealingKey(settings.GDX_SECRET_KEY, production, problems),
    oldSecretKeys: readOldKeys(settings.GDX_SECRET_KEY_OLD, problems),
    outboundAllow: settings.GDX_OUTBOUND_ALLOW.split(',').flatMap((cidr) => cidr.trim() || []),
    outboundPorts: settings.GDX_OUTBOUND_PORTS.split(',').map(Number),
    retentionDays: settings.GDX_RETENTION_DAYS,
    reconcileEveryMs: settings.GDX_RECONCILE_SECONDS * 1_000,
    metricsPort: readMetricsPort(settings.GDX_METRICS_PORT, problems),
    logLevel: settings.LOG_LEVEL as string,
    serviceName: settings.GDX_SERVICE_NAME,
    trustedProxies: settings.GDX_TRUSTED_PROXIES,
    sms: {
      provider: settings.GDX_SMS_PROVIDER as SmsSettings['provider'],
      webhook: { url: settings.GDX_SMS_WEBHOOK_URL, token: settings.GDX_SMS_WEBHOOK_TOKEN },
      twilio: {
        accountSid: settings.GDX_TWILIO_ACCOUNT_SID,
        authToken: settings.GDX_TWILIO_AUTH_TOKEN,
        from: settings.GDX_TWILIO_FROM,
      },
    },
    alertWebhook: readAlertWebhook(
      { url: settings.GDX_ALERT_WEBHOOK_URL, secret: settings.GDX_ALERT_SECRET },
      problems,
    ),
  };
  for (const cidr of config.outboundAllow) {
    if (!ipaddr.isValidCIDR(cidr))
      problems.push(`GDX_OUTBOUND_ALLOW: ${cidr} is no CIDR such as 10.1.0.0/16`);
  }
  if (config.workerBuildId && !/^[\w.+-]{1,100}$/.test(config.workerBuildId))
    problems.push('GDX_WORKER_BUILD_ID must be up to 100 letters, digits or any of . _ + -');
  if (!config.outboundPorts.every((port) => Number.isInteger(port) && port > 0 && port < 65_536))
    problems.push('GDX_OUTBOUND_PORTS must be ports such as 443,8443');
  if (!isPlainUrl(config.publicUrl)) problems.push('GDX_PUBLIC_URL must be a URL like https://grain.example');
  if (part === 'api') checkTexts(config.sms, problems);
  if (production) problems.push(...unsafeSettings(productionSettings(config, settings, env, part)));
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return config;
}

function productionSettings(
  config: Config,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  part: 'api' | 'other',
) {
  const { mongodbUri, outboundAllow, publicUrl, sms } = config;
  return {
    mongodbUri: settings.MONGODB_URI && mongodbUri,
    secretKey: readSecretKey(settings.GDX_SECRET_KEY),
    outboundAllow,
    alertUrl: settings.GDX_ALERT_WEBHOOK_URL,
    smsUrl: sms.webhook.url,
    temporalApiKey: Boolean(env.TEMPORAL_API_KEY),
    temporalTls: env.TEMPORAL_TLS ?? '',
    farmers: part === 'api' ? { publicUrl, smsProvider: sms.provider } : undefined,
  };
}

/** What does not even have its type is named like the rest, and read as if it were not set; so is what is empty. */
function parse(env: NodeJS.ProcessEnv, problems: string[]): Settings {
  const data = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    return envSchema<Settings>({ schema: SETTINGS, data, env: false });
  } catch (error) {
    const { errors = [] } = error as { errors?: { instancePath: string; message?: string }[] };
    // Of a choice every part that does not fit has an error, and the choice itself the last.
    const wrong = new Map(errors.map(({ instancePath, message }) => [instancePath.slice(1), message]));
    if (wrong.size === 0) throw error;
    for (const [name, message = 'is wrong'] of wrong) {
      const { description } = SETTINGS.properties[name as keyof Settings];
      problems.push(`${name} ${message} (${description})`);
    }
    return parse(Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.has(name))), problems);
  }
}

// The same folder from the sources and from dist/: where package.json is.
function projectRoot(): string {
  return path.basename(__dirname) === 'dist' ? path.dirname(__dirname) : __dirname;
}
