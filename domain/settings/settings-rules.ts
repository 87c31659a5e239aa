import { isCidr } from './denied-address';
import { readUri } from './mongodb-uri';
import { trimmed, whyQuoted, whyUnseen, withoutUnseen } from '../text/pasted-text';
import { isSigningSecret } from './secret-key';
import type { Given, Setting } from './setting';

// Readers of single settings. They add every problem to `problems`, so that all are reported at once.

export interface SmsSettings {
  provider: 'console' | 'webhook' | 'twilio';
  webhook: { url: string; token: string };
  /** `from` is a number, or a messaging service. A service cannot call, so `callFrom` is a number. */
  twilio: { accountSid: string; authToken: string; from: string; callFrom: string };
}

/** Who is sent codes, and the most per day. */
export interface CodeSettings {
  /** Two-letter countries of the North American numbering plan. */
  countries: string[];
  perDay: number;
  perChannelDay: number;
  /** The most codes per day for phones that no account lists. */
  unlistedPerDay: number;
}

/** Where alerts go; `secret` is derived where none is set. */
export interface AlertWebhook {
  url: string;
  secret: string | undefined;
}

/** Reports each setting with quotes around it, or an invisible character in its text or name, such as a file's byte order mark. */
export function refusePasted(
  env: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, Setting>>,
  problems: string[],
): void {
  for (const [name, value = ''] of Object.entries(env)) {
    const meant = withoutUnseen(name).trim();
    if (!Object.hasOwn(settings, meant)) continue;
    const ofName = whyUnseen(name);
    if (ofName) problems.push(`${meant} is not set: the name in its place ${ofName}`);
    const ofValue =
      whyQuoted(trimmed(value)) ?? (settings[name]?.isProse ? undefined : whyUnseen(trimmed(value)));
    if (ofValue) problems.push(`${meant} ${ofValue}`);
  }
}

/** Whether `fetch` accepts a URL: http or https, without credentials. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
}

/** Whether a URL has neither credentials nor anything after its path. */
export const isPlainPath = (url: string) => isPlainUrl(url) && !/[?#]/.test(url);

/** Makes the reader of a text that stays as it is. */
const readerOf =
  (isRight: (text: string) => boolean, problem: string) =>
  (text: string, problems: string[]): string => {
    if (!isRight(text)) problems.push(problem);
    return text;
  };

export function readMongodbUri(text: string, problems: string[]): string {
  const uri = text === '' ? undefined : readUri(text);
  if (typeof uri === 'string') problems.push(uri);
  return text;
}

export const readTemporalAddress = readerOf(
  (address) => /^$|^([\w.-]+|\[[\d:a-fA-F.]+\])(:\d{1,5})?$/.test(address),
  'TEMPORAL_ADDRESS must be a host and a port, like temporal.example:7233',
);

export const readTemporalTls = readerOf(
  (text) => /^(true|1|false|0|)$/.test(text),
  'TEMPORAL_TLS must be true or false, in small letters: Temporal’s client takes every other word for false',
);

export const readClosedNetwork = readerOf(
  (text) => !/^(?:true|false|yes|no|on|off|y|n|none|-|\d+)$/i.test(text),
  'GDX_CLOSED_NETWORK must say in words what keeps that network closed, not yes or no; empty where nothing does',
);

export const readPublicUrl = readerOf(
  isPlainPath,
  'GDX_PUBLIC_URL must be a URL like https://grain.example, without a user, password, query or fragment',
);

export const readSecurityContact = readerOf(
  (contact) => /^$|^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(contact),
  'GDX_SECURITY_CONTACT must be like mailto:security@grain.example or https://grain.example/security',
);

export const readTracesUrl = readerOf(
  (url) => url === '' || isPlainPath(url),
  'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://collector.example:4318, without a user, password, query or fragment',
);

export const readAlertUrl = readerOf(
  (url) => url === '' || isPlainUrl(url),
  'GDX_ALERT_WEBHOOK_URL must be a URL like https://ops.example/hook, without a user or password',
);

/** The version of the worker, from our setting or from that of Temporal's Worker Controller; undefined without one. */
export function readBuildId(own: string, problems: string[], { texts }: Given): string | undefined {
  const id = own || texts.TEMPORAL_WORKER_BUILD_ID || undefined;
  if (id && !/^[\w.+-]{1,100}$/.test(id))
    problems.push('GDX_WORKER_BUILD_ID must be up to 100 letters, digits or any of . _ + -');
  return id;
}

export function readTextWebhook(url: string, problems: string[], { part, texts }: Given): string {
  if (part === 'api' && texts.GDX_SMS_PROVIDER === 'webhook' && url && !isPlainUrl(url))
    problems.push(
      'GDX_SMS_WEBHOOK_URL must be a URL like https://texts.example/send, without a user or password',
    );
  return url;
}

const PLUS_ONE = 'AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS PR SX TC TT US VC VG VI'.split(' ');

export function readCountries(text: string, problems: string[]): string[] {
  const countries = text.split(',').map((country) => country.trim());
  if (!countries.every((country) => PLUS_ONE.includes(country)))
    problems.push(
      `GDX_SMS_COUNTRIES must be countries with numbers of +1, such as US,CA (${PLUS_ONE.join(', ')})`,
    );
  return countries;
}

/** The items of a list with commas. */
export const listOf = (text = ''): string[] => text.split(',').flatMap((one) => one.trim() || []);

/** Makes the reader of a list of networks. */
export const cidrsOf = (setting: string) => (text: string, problems: string[]) => {
  const cidrs = listOf(text);
  const wrong = cidrs.filter((cidr) => !isCidr(cidr));
  problems.push(...wrong.map((one) => `${setting}: ${one} is not a CIDR such as 198.51.100.0/24`));
  return cidrs;
};

export function readOutboundPorts(text: string, problems: string[]): number[] {
  const ports = text.split(',').map(Number);
  if (!ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536))
    problems.push('GDX_OUTBOUND_PORTS must be ports such as 443,8443');
  return ports;
}

/** The proxy's address, perhaps with credentials. Undefined: customers are reached directly. */
export function readOutboundProxy(text: string, problems: string[]): URL | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' && url.hostname && url.pathname === '/' && !/[?#]/.test(text)) return url;
  problems.push('GDX_OUTBOUND_PROXY must be a URL like http://proxy.example:3128, without a path');
  return undefined;
}

export function readAlertSigningSecret(secret: string, problems: string[]): string | undefined {
  if (secret && !isSigningSecret(secret))
    problems.push(
      'GDX_ALERT_SECRET must be whsec_ and 24 to 64 bytes as base64: `echo whsec_$(openssl rand -base64 32)`',
    );
  return secret || undefined;
}

/** Reads the port of the metrics. Undefined: the default port of the process. */
export function readMetricsPort(text: string, problems: string[]): number | 'off' | undefined {
  if (text === '' || text === 'off') return text || undefined;
  const port = portOf(text);
  if (port === undefined) problems.push('GDX_METRICS_PORT must be a port, 0 or off');
  return port;
}

const OPS_PORT = 3001;

/** Reads the port of `/ops`. Undefined: `/ops` has no port of its own and is on that of the API. */
export function readOpsPort(
  text: string,
  problems: string[],
  { production, texts }: Given,
): number | undefined {
  if (text === '' && !production) return undefined;
  const port = text === '' ? OPS_PORT : portOf(text);
  if (port === undefined || (port > 0 && String(port) === texts['PORT']))
    problems.push('GDX_OPS_PORT must be a port that is not PORT');
  return port;
}

function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return port <= 65_535 ? port : undefined;
}
