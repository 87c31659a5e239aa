import { trimmed, whyUnseen, withoutUnseen } from './pasted-text';
import { isSigningSecret } from './secret-key';

// The rules of single settings. Each adds its findings to `problems`, so that all are reported at once.

export interface SmsSettings {
  provider: 'console' | 'webhook' | 'twilio';
  webhook: { url: string; token: string };
  twilio: { accountSid: string; authToken: string; from: string; callFrom: string };
}

/** To whom codes are sent, and how many a day. */
export interface CodeSettings {
  /** Two-letter countries of the North American numbering plan. */
  countries: string[];
  perDay: number;
  perChannelDay: number;
  /** To phones that no account lists. */
  unlistedPerDay: number;
}

/** Where alerts go; `secret` is derived where none is set. */
export interface AlertWebhook {
  url: string;
  secret: string | undefined;
}

// Read by people, in any language.
const FREE_TEXT = ['GDX_SERVICE_NAME', 'GDX_CLOSED_NETWORK'];

/** Names each setting that holds what nobody sees, or is set under such a name, as after a file's byte order mark. */
export function refuseUnseen(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  problems: string[],
): void {
  for (const [name, value = ''] of Object.entries(env)) {
    const meant = withoutUnseen(name).trim();
    if (!names.includes(meant)) continue;
    const ofName = whyUnseen(name);
    if (ofName) problems.push(`${meant} is not set: the name in its place ${ofName}`);
    const ofValue = FREE_TEXT.includes(name) ? undefined : whyUnseen(trimmed(value));
    if (ofValue) problems.push(`${meant} ${ofValue}`);
  }
}

/** Whether `fetch` accepts a URL: http or https, without credentials. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
}

/** Checks the settings of text messages to farmers. */
export function checkTexts(sms: SmsSettings, problems: string[]): void {
  const required = (settings: Record<string, string>) => {
    for (const [name, value] of Object.entries(settings)) {
      if (!value) problems.push(`${name} must be set for GDX_SMS_PROVIDER=${sms.provider}`);
    }
  };
  if (sms.provider === 'webhook') required({ GDX_SMS_WEBHOOK_URL: sms.webhook.url });
  if (sms.provider === 'webhook' && sms.webhook.url && !isPlainUrl(sms.webhook.url))
    problems.push(
      'GDX_SMS_WEBHOOK_URL must be a URL like https://texts.example/send, without a user or password',
    );
  if (sms.provider === 'twilio') {
    const { accountSid, authToken, from } = sms.twilio;
    required({
      GDX_TWILIO_ACCOUNT_SID: accountSid,
      GDX_TWILIO_AUTH_TOKEN: authToken,
      GDX_TWILIO_FROM: from,
    });
  }
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

/** Where alerts go; undefined when they are only stored and logged. */
export function readAlertWebhook(
  { url, secret }: { url: string; secret: string },
  problems: string[],
): AlertWebhook | undefined {
  if (url && !isPlainUrl(url))
    problems.push(
      'GDX_ALERT_WEBHOOK_URL must be a URL like https://ops.example/hook, without a user or password',
    );
  if (secret && !isSigningSecret(secret))
    problems.push(
      'GDX_ALERT_SECRET must be whsec_ and 24 to 64 bytes as base64: `echo whsec_$(openssl rand -base64 32)`',
    );
  return url ? { url, secret: secret || undefined } : undefined;
}

/** Undefined: the default port of the process. */
export function readMetricsPort(text: string, problems: string[]): number | 'off' | undefined {
  if (text === '' || text === 'off') return text || undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) problems.push('GDX_METRICS_PORT must be a port, 0 or off');
  return port;
}
