import { envSchema } from 'env-schema';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALL_SETTINGS } from './domain/settings/all-settings';
import { customerKeysOf, DEVELOPMENT_KEY } from './domain/settings/key-settings';
import { legible, trimmed, whyQuoted } from './domain/text/pasted-text';
import type { ProviderSettings } from './domain/settings/operators-provider';
import { type Given, isReadBy, misgiven, type Part, type Setting, unsafeOf } from './domain/settings/setting';
import {
  type AlertWebhook,
  type CodeSettings,
  readMetricsPort,
  refusePasted,
  type SmsSettings,
} from './domain/settings/settings-rules';

/** The environment of the process, for child processes to inherit. Nothing else reads `process.env`. */
export const environment: NodeJS.ProcessEnv = process.env;

type Name = keyof typeof ALL_SETTINGS;
type Values = { [N in Name]: (typeof ALL_SETTINGS)[N] extends Setting<infer T> ? T : never };

const ROWS = Object.entries(ALL_SETTINGS) as [Name, Setting][];

export type Config = ReturnType<typeof readConfig>;

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
export function readConfig(env: NodeJS.ProcessEnv = environment, part: Part = 'gdx', root = projectRoot()) {
  const problems: string[] = [];
  const ownEnv = readBy(part, env);
  refusePasted(ownEnv, ALL_SETTINGS, problems);
  const { parsed, isGuessed } = inForce(parse(ownEnv, problems), root);
  const production = parsed.NODE_ENV === 'production';
  const own = ROWS.filter(([, row]) => isReadBy(part, row));
  const texts = Object.fromEntries(own.map(([name]) => [name, String(parsed[name])]));
  const given = { production, part, texts: { ...env, ...texts } };
  const values = readValues(parsed, given, problems);
  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)].join('; '));
  return { ...configOf(values, given), isGuessed };
}

/** The environment without what another process reads: it changes nothing here, right or wrong. */
const readBy = (part: Part, env: NodeJS.ProcessEnv) => {
  const others = ROWS.filter(([, row]) => !isReadBy(part, row)).map(([name]) => name as string);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
};

/** Each setting's value by its row, and what its row finds wrong or unsafe. */
function readValues(parsed: Parsed, given: Given, problems: string[]): Values {
  const values = ROWS.map(([name, setting]) => {
    problems.push(...misgiven(name, setting, given));
    const text = String(parsed[name]);
    const value = setting.read ? setting.read(text, problems, given) : parsed[name];
    problems.push(...unsafeOf(setting, text, given));
    return [name, value];
  });
  return Object.fromEntries(values) as Values;
}

/** The settings in force. Outside production a running `npm start`, or this machine, provides unset ones. */
function inForce(parsed: Parsed, root: string): { parsed: Parsed; isGuessed: boolean } {
  const production = parsed.NODE_ENV === 'production';
  const isGiven = production || parsed.MONGODB_URI || parsed.TEMPORAL_ADDRESS;
  const running = isGiven ? undefined : readRunning(root);
  const here = (text: string) => (production ? '' : text);
  const named = {
    ...parsed,
    MONGODB_URI: parsed.MONGODB_URI || running?.mongodb_uri || here('mongodb://127.0.0.1:27017/gdx'),
    TEMPORAL_ADDRESS: parsed.TEMPORAL_ADDRESS || running?.temporal_address || here('127.0.0.1:7233'),
    TEMPORAL_NAMESPACE: parsed.TEMPORAL_NAMESPACE || running?.temporal_namespace || 'default',
    GDX_PUBLIC_URL: parsed.GDX_PUBLIC_URL || running?.api_url || `http://127.0.0.1:${parsed.PORT}`,
    GDX_TEMPORAL_UI_URL: parsed.GDX_TEMPORAL_UI_URL || running?.temporal_ui_url || '',
  };
  // Nothing names the database: the one at this machine's usual port may be anybody's.
  return { parsed: named, isGuessed: !isGiven && !running };
}

/** The settings as the code knows them. */
const configOf = (values: Values, { production, part, texts }: Given) => ({
  production,
  host: values.HOST,
  port: values.PORT,
  /** Undefined: `/ops` is on the port of the API. */
  opsPort: values.GDX_OPS_PORT,
  mongodbUri: values.MONGODB_URI,
  temporalAddress: values.TEMPORAL_ADDRESS,
  temporalNamespace: values.TEMPORAL_NAMESPACE,
  temporalEnv: temporalEnvOf(texts),
  taskQueue: values.GDX_TASK_QUEUE,
  /** Undefined: the worker has no version. */
  workerBuildId: values.GDX_WORKER_BUILD_ID,
  /** The deployment that worker versions belong to. Undefined: the task queue, and no Worker Controller switches versions. */
  workerDeployment: values.TEMPORAL_DEPLOYMENT_NAME || undefined,
  publicUrl: values.GDX_PUBLIC_URL,
  securityContact: values.GDX_SECURITY_CONTACT,
  outboundAddresses: values.GDX_OUTBOUND_ADDRESSES,
  temporalUiUrl: values.GDX_TEMPORAL_UI_URL,
  /** Undefined in the worker, which needs none. */
  secretKey: part === 'worker' ? undefined : (values.GDX_SECRET_KEY ?? DEVELOPMENT_KEY),
  oldSecretKeys: values.GDX_SECRET_KEY_OLD,
  customerKeys: customerKeysOf(
    {
      own: values.GDX_CUSTOMER_SECRETS_KEY,
      public: values.GDX_CUSTOMER_SECRETS_PUBLIC_KEY,
      old: values.GDX_CUSTOMER_SECRETS_KEY_OLD,
    },
    { part },
  ),
  outboundAllow: values.GDX_OUTBOUND_ALLOW,
  outboundPorts: values.GDX_OUTBOUND_PORTS,
  outboundProxy: values.GDX_OUTBOUND_PROXY,
  retentionDays: values.GDX_RETENTION_DAYS,
  reconcileEveryMs: values.GDX_RECONCILE_SECONDS * 1_000,
  /** Undefined: the default of each process (9464, 9465). */
  metricsPort: values.GDX_METRICS_PORT,
  logLevel: values.LOG_LEVEL as string,
  /** Where traces are sent. Undefined: nowhere. */
  traces: values.OTEL_EXPORTER_OTLP_ENDPOINT || undefined,
  serviceName: values.GDX_SERVICE_NAME,
  trustedProxies: values.GDX_TRUSTED_PROXIES,
  operator: values.GDX_OPERATOR,
  operatorToken: legible(values.GDX_OPERATOR_TOKEN),
  sms: smsOf(values),
  codes: codesOf(values),
  alertWebhook: alertWebhookOf(values),
  operatorsProvider: operatorsProviderOf(values),
});

/** What Temporal's client reads itself, as it was read here: without what is unset, and without blanks around it. */
const temporalEnvOf = (texts: Given['texts']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text = '']) => [name, trimmed(text)] as const)
      .filter(([name, text]) => name.startsWith('TEMPORAL_') && text),
  );

const smsOf = (values: Values): SmsSettings => ({
  provider: values.GDX_SMS_PROVIDER,
  webhook: { url: values.GDX_SMS_WEBHOOK_URL, token: values.GDX_SMS_WEBHOOK_TOKEN },
  twilio: {
    accountSid: values.GDX_TWILIO_ACCOUNT_SID,
    authToken: values.GDX_TWILIO_AUTH_TOKEN,
    from: values.GDX_TWILIO_FROM,
    callFrom: values.GDX_TWILIO_CALL_FROM,
  },
});

const codesOf = (values: Values): CodeSettings => ({
  countries: values.GDX_SMS_COUNTRIES,
  perDay: values.GDX_CODES_PER_DAY,
  perChannelDay: values.GDX_CODES_PER_CHANNEL_PER_DAY,
  unlistedPerDay: values.GDX_CODES_UNLISTED_PER_DAY,
});

/** Undefined where operators sign in with tokens alone. */
const operatorsProviderOf = (values: Values): ProviderSettings | undefined =>
  values.GDX_OIDC_ISSUER
    ? {
        issuer: values.GDX_OIDC_ISSUER,
        clientId: values.GDX_OIDC_CLIENT_ID,
        clientSecret: values.GDX_OIDC_CLIENT_SECRET,
        scopes: values.GDX_OIDC_SCOPES,
        groupsClaim: values.GDX_OIDC_GROUPS_CLAIM,
        operateGroups: values.GDX_OIDC_OPERATE_GROUPS,
        readGroups: values.GDX_OIDC_READ_GROUPS,
        opsUrl: values.GDX_OPS_URL || `http://127.0.0.1:${values.GDX_OPS_PORT ?? values.PORT}`,
      }
    : undefined;

/** Undefined where alerts are only stored and logged. */
const alertWebhookOf = (values: Values): AlertWebhook | undefined => {
  const { GDX_ALERT_WEBHOOK_URL: url, GDX_ALERT_SECRET: secret } = values;
  return url ? { url, secret } : undefined;
};

/**
 * Reads the ports of this container's process for its health check. The process itself judges all other
 * settings.
 */
export function readPorts(): Pick<Config, 'port' | 'metricsPort'> {
  const { PORT, GDX_METRICS_PORT } = parse(environment, []);
  return { port: PORT, metricsPort: readMetricsPort(GDX_METRICS_PORT, []) };
}

type Parsed = { [N in Name]: (typeof ALL_SETTINGS)[N] extends { default: number } ? number : string };

const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(ROWS.map(([name, row]) => [name, formOf(row)])),
};

/** The JSON schema of a setting, without its rules. */
function formOf(row: Setting) {
  const { read, secret, isProse, needed, of, never, isOfApiAlone, unsafe, unsafeInDevelopment, ...schema } =
    row;
  return schema;
}

/**
 * Reads the settings by their schemas. One of the wrong type is reported and treated as unset. An empty one
 * is unset as well. Blanks around a value are removed, such as the CR that a file of settings leaves.
 */
function parse(env: NodeJS.ProcessEnv, problems: string[]): Parsed {
  const given = Object.entries(env).map(([name, value = '']) => [name, trimmed(value)] as const);
  const data = Object.fromEntries(given.filter(([, value]) => value !== ''));
  try {
    return envSchema<Parsed>({ schema: SCHEMA, data, env: false });
  } catch (error) {
    const { errors = [] } = error as { errors?: { instancePath: string; message?: string }[] };
    // A union reports an error for every member that does not match, and its own error last.
    const wrong = new Map(errors.map(({ instancePath, message }) => [instancePath.slice(1), message]));
    if (wrong.size === 0) throw error;
    for (const [name, message = 'is wrong'] of wrong) {
      const { description } = ALL_SETTINGS[name as Name];
      problems.push(`${name} ${message} (${description})`);
    }
    return parse(Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.has(name))), problems);
  }
}

/** The settings of `push`, `check` and `listen`, which ERPs and customers run: no others need be right. */
export function serviceSettings(env: NodeJS.ProcessEnv = environment) {
  const url = trimmed(env.GDX_PUBLIC_URL ?? '') || readRunning(projectRoot())?.api_url || '';
  const problems: string[] = [];
  const { GDX_TOKEN = '', GDX_SIGNING_SECRET = '' } = env;
  for (const [name, text] of Object.entries({
    GDX_PUBLIC_URL: env.GDX_PUBLIC_URL,
    GDX_TOKEN,
    GDX_SIGNING_SECRET,
  })) {
    const quoted = whyQuoted(trimmed(text ?? ''));
    if (quoted) problems.push(`${name} ${quoted}`);
  }
  const proxies = readProxies(env, problems);
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return { url, token: legible(GDX_TOKEN), signingSecret: legible(GDX_SIGNING_SECRET), proxies };
}

/** The names that curl knows, in small letters first. A URL that cannot be read is never repeated: it may hold a password. */
function readProxies(env: NodeJS.ProcessEnv, problems: string[]) {
  const given = (name: string) => trimmed(env[name.toLowerCase()] ?? env[name] ?? '');
  const urlOf = (name: string) => {
    const text = given(name);
    const quoted = whyQuoted(text);
    if (quoted) problems.push(`${name} ${quoted}`);
    const url = text.includes('://') || !text ? text : `http://${text}`;
    if (url && !(/^https?:\/\//i.test(url) && URL.canParse(url)))
      problems.push(`${name} must be a URL like http://proxy.example:3128, its password percent-encoded`);
    return url;
  };
  return { http: urlOf('HTTP_PROXY'), https: urlOf('HTTPS_PROXY'), none: given('NO_PROXY') };
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

/** The name and version of a process, in its log and its traces. */
export const serviceOf = (name: 'gdx-api' | 'gdx-worker') => ({ name, version: readVersion() });

/** The options of a process's log. Each line has the service, its version and the level as a word. */
export const logOptions = (service: 'gdx-api' | 'gdx-worker') => ({
  base: { service, version: readVersion() },
  formatters: { level: (level: string) => ({ level }) },
});

function readVersion(): string {
  const text = readFileSync(path.join(projectRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

// The folder of package.json, both from the sources and from dist/.
function projectRoot(): string {
  return path.basename(__dirname) === 'dist' ? path.dirname(__dirname) : __dirname;
}
