import { isWeakKey } from './secret-key';

/** What production is asked for, as far as it can be unsafe. */
export interface ProductionSettings {
  mongodbUri: string;
  /** Undefined where another problem has been told of it. */
  secretKey: Buffer | undefined;
  outboundAllow: string[];
  alertUrl: string;
  smsUrl: string;
  temporalApiKey: boolean;
  temporalTls: string;
  /** The API's own; undefined for processes that no farmer reaches. */
  farmers: { publicUrl: string; smsProvider: string } | undefined;
}

const DEVELOPMENT_MONGODB = /^mongodb:\/\/(?:127\.0\.0\.1|localhost)(?::27017)?(?:\/(?:gdx)?)?(?:\?.*)?$/;

const isHttps = (url: string) => /^https:\/\//i.test(url);

/** Every setting that production must not start with, and what to set instead. */
export function unsafeSettings(settings: ProductionSettings): string[] {
  const { mongodbUri, secretKey, outboundAllow, alertUrl, smsUrl, farmers } = settings;
  const unsafe: [boolean, string][] = [
    [
      DEVELOPMENT_MONGODB.test(mongodbUri),
      'MONGODB_URI is that of development: name the replica set and the database',
    ],
    [
      secretKey !== undefined && isWeakKey(secretKey),
      'GDX_SECRET_KEY can be guessed: use `openssl rand -base64 32`',
    ],
    [
      outboundAllow.length > 0,
      'GDX_OUTBOUND_ALLOW must be empty in production: customers have public addresses',
    ],
    [
      settings.temporalApiKey && /^(?:false|0)$/i.test(settings.temporalTls),
      'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
    ],
    [alertUrl !== '' && !isHttps(alertUrl), 'GDX_ALERT_WEBHOOK_URL must begin with https:// in production'],
    [
      smsUrl !== '' && !isHttps(smsUrl),
      'GDX_SMS_WEBHOOK_URL must begin with https:// in production: codes go there',
    ],
    [
      farmers !== undefined && !isHttps(farmers.publicUrl),
      'GDX_PUBLIC_URL must begin with https:// in production: farmers and customers are sent there',
    ],
    [
      farmers?.smsProvider === 'console',
      'GDX_SMS_PROVIDER must be webhook or twilio in production: console shows codes to everybody',
    ],
  ];
  return unsafe.flatMap(([holds, what]) => (holds ? what : []));
}
