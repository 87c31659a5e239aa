import { isSigningSecret, readSecretKey } from './secret-key';

// What a setting must look like. Each adds what is wrong to `problems`, so that all of it is said at once.

export interface SmsSettings {
  provider: 'console' | 'webhook' | 'twilio';
  webhook: { url: string; token: string };
  twilio: { accountSid: string; authToken: string; from: string };
}

/** Where alerts go; `secret` is derived where none is set. */
export interface AlertWebhook {
  url: string;
  secret: string | undefined;
}

// Known to everybody who reads this file, therefore refused in production.
const DEVELOPMENT_KEY = Buffer.from('gdx development key, not secret!');

/** An address that can be asked as it is: of http, with a host, and without credentials, which `fetch` refuses. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
}

/** What is needed to text farmers. */
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

/** Where alerts go; undefined when they are only kept and logged. */
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

/** The key that seals what is stored; a known one outside production where none is given. */
export function readSealingKey(text: string, production: boolean, problems: string[]): Buffer {
  if (!text) {
    if (production) problems.push('GDX_SECRET_KEY must be set in production (openssl rand -base64 32)');
    return DEVELOPMENT_KEY;
  }
  const key = readSecretKey(text);
  if (!key) problems.push('GDX_SECRET_KEY must be 32 bytes as base64 or hex (openssl rand -base64 32)');
  return key ?? DEVELOPMENT_KEY;
}

export function readOldKeys(text: string, problems: string[]): Buffer[] {
  const keys = text.split(',').flatMap((one) => (one.trim() ? [readSecretKey(one.trim())] : []));
  if (keys.includes(undefined))
    problems.push('GDX_SECRET_KEY_OLD must be keys of 32 bytes, as base64 or hex');
  return keys.flatMap((key) => key ?? []);
}

/** Undefined: each process has its own usual one. */
export function readMetricsPort(text: string, problems: string[]): number | 'off' | undefined {
  if (text === '' || text === 'off') return text || undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) problems.push('GDX_METRICS_PORT must be a port, 0 or off');
  return port;
}
