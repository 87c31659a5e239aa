import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import ipaddr from 'ipaddr.js';
import path from 'node:path';
import { readRunning } from './deploy/local/running';

/** The environment as the process got it, for child processes to inherit. Nothing else reads `process.env`. */
export const environment: NodeJS.ProcessEnv = process.env;

const setting = <T extends string>(description: string, fallback: T) =>
  Type.String({ description, default: fallback });

/** Every setting: name, default, meaning (contract 8). `gdx config` prints this table. */
export const SETTINGS = Type.Object({
  NODE_ENV: setting('`production` refuses unsafe settings', 'development'),
  HOST: setting('address the API listens on', '127.0.0.1'),
  PORT: Type.Integer({ description: 'port of the API', default: 3000, minimum: 0, maximum: 65535 }),
  MONGODB_URI: setting(
    'MongoDB, a replica set; the path names the database. Unset: a running `npm start`, else this machine',
    '',
  ),
  TEMPORAL_ADDRESS: setting('Temporal. Unset: a running `npm start`, else this machine', ''),
  TEMPORAL_NAMESPACE: setting('Temporal namespace', ''),
  GDX_TASK_QUEUE: setting('Temporal task queue of the worker', 'gdx'),
  GDX_PUBLIC_URL: setting('address under which farmers and customers reach the API', ''),
  GDX_TEMPORAL_UI_URL: setting('address of the Temporal UI, for links', ''),
  GDX_SECRET_KEY: setting('encrypts stored secrets: 32 bytes as base64 or hex', ''),
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
  GDX_RECONCILE_SECONDS: Type.Integer({
    description: 'how often every channel is checked for its workflow',
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
  publicUrl: string;
  temporalUiUrl: string;
  secretKey: Buffer;
  outboundAllow: string[];
  retentionDays: number;
  reconcileEveryMs: number;
  logLevel: string;
  serviceName: string;
  trustedProxies: number;
  sms: SmsSettings;
}

export interface SmsSettings {
  provider: 'console' | 'webhook' | 'twilio';
  webhook: { url: string; token: string };
  twilio: { accountSid: string; authToken: string; from: string };
}

/** A setting is missing or wrong; the message lists every one of them and what to do. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

// Known to everybody who reads this file, therefore refused in production.
const DEVELOPMENT_KEY = Buffer.from('gdx development key, not secret!');

/**
 * Reads and checks all settings at once.
 * @throws ConfigurationError naming every wrong setting.
 */
export function readConfig(env: NodeJS.ProcessEnv = environment): Config {
  const settings = parse(env);
  const problems: string[] = [];
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
    publicUrl: settings.GDX_PUBLIC_URL || running?.api_url || `http://127.0.0.1:${settings.PORT}`,
    temporalUiUrl: settings.GDX_TEMPORAL_UI_URL || running?.temporal_ui_url || '',
    secretKey: secretKey(settings.GDX_SECRET_KEY, production, problems),
    outboundAllow: settings.GDX_OUTBOUND_ALLOW.split(',').flatMap((cidr) => cidr.trim() || []),
    retentionDays: settings.GDX_RETENTION_DAYS,
    reconcileEveryMs: settings.GDX_RECONCILE_SECONDS * 1_000,
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
  };
  for (const cidr of config.outboundAllow) {
    if (!ipaddr.isValidCIDR(cidr))
      problems.push(`GDX_OUTBOUND_ALLOW: ${cidr} is no CIDR such as 10.1.0.0/16`);
  }
  if (production && config.outboundAllow.length > 0) {
    problems.push('GDX_OUTBOUND_ALLOW must be empty in production');
  }
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return config;
}

/**
 * What only the API needs: a way to text farmers, and in production an https address to send them to.
 * @throws ConfigurationError naming every wrong setting.
 */
export function requireFarmerSettings({ production, publicUrl, sms }: Config): void {
  const problems: string[] = [];
  const required = (settings: Record<string, string>) => {
    for (const [name, value] of Object.entries(settings)) {
      if (!value) problems.push(`${name} must be set for GDX_SMS_PROVIDER=${sms.provider}`);
    }
  };
  if (production && sms.provider === 'console')
    problems.push('GDX_SMS_PROVIDER must be webhook or twilio in production');
  if (production && !publicUrl.startsWith('https://'))
    problems.push('GDX_PUBLIC_URL must begin with https:// in production');
  if (sms.provider === 'webhook') required({ GDX_SMS_WEBHOOK_URL: sms.webhook.url });
  if (sms.provider === 'webhook' && sms.webhook.url && !URL.canParse(sms.webhook.url))
    problems.push('GDX_SMS_WEBHOOK_URL must be a URL');
  if (sms.provider === 'twilio') {
    const { accountSid, authToken, from } = sms.twilio;
    required({
      GDX_TWILIO_ACCOUNT_SID: accountSid,
      GDX_TWILIO_AUTH_TOKEN: authToken,
      GDX_TWILIO_FROM: from,
    });
  }
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
}

function parse(env: NodeJS.ProcessEnv): Settings {
  try {
    return envSchema<Settings>({ schema: SETTINGS, data: env, env: false });
  } catch (error) {
    throw new ConfigurationError(
      `${(error as Error).message.replace(/^env\//, '')}. \`gdx config\` lists all settings`,
    );
  }
}

function secretKey(text: string, production: boolean, problems: string[]): Buffer {
  if (!text) {
    if (production) problems.push('GDX_SECRET_KEY must be set in production (openssl rand -base64 32)');
    return DEVELOPMENT_KEY;
  }
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length !== 32) problems.push('GDX_SECRET_KEY must be 32 bytes as base64 or hex');
  return key;
}

// The same folder from the sources and from dist/: where package.json is.
function projectRoot(): string {
  return path.basename(__dirname) === 'dist' ? path.dirname(__dirname) : __dirname;
}
