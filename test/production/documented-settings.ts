import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { newCustomerKeys } from '../../store/secrets/customer-secrets';
import { checkout } from '../../tools/local/checkout';
import type { Parts } from '../../tools/local/start-parts';
import { AUTHORITY_FILE } from './tls-host';

/**
 * The environment of a process in production, and nothing of the shell's: what .env.example says, what it leaves to be
 * filled in, and the addresses of the parts.
 * @param host where texts and alerts go
 */
export function documentedSettings(parts: Parts, host: string): Record<string, string> {
  const pair = newCustomerKeys();
  const example = parseEnv(readFileSync(path.join(checkout, '.env.example'), 'utf8'));
  const ours = Object.entries(example).filter(([name]) => name in ALL_SETTINGS);
  return {
    ...(Object.fromEntries(ours) as Record<string, string>),
    GDX_SECRET_KEY: randomBytes(32).toString('hex'),
    GDX_CUSTOMER_SECRETS_KEY: pair.privateKey,
    GDX_CUSTOMER_SECRETS_PUBLIC_KEY: pair.publicKey,
    GDX_OPERATOR: 'the rehearsal',
    GDX_PUBLIC_URL: 'https://grain.example',
    GDX_SMS_WEBHOOK_URL: `${host}/texts`,
    GDX_SMS_WEBHOOK_TOKEN: randomBytes(16).toString('hex'),
    GDX_ALERT_WEBHOOK_URL: `${host}/alerts`,
    MONGODB_URI: parts.mongodbUri,
    TEMPORAL_ADDRESS: parts.temporalAddress,
    NODE_EXTRA_CA_CERTS: AUTHORITY_FILE,
    PATH: process.env.PATH ?? '',
  };
}
