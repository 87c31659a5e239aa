import { randomBytes } from 'node:crypto';
import { newCustomerKeys } from '../../store/secrets/customer-secrets';
import { freePort } from '../../tools/local/free-port';
import { newDatabaseUri } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';

/** All that API, worker and gdx are told in production: an empty database, a namespace that is not there yet, free ports. */
export async function productionSettings() {
  const pair = newCustomerKeys();
  return {
    NODE_ENV: 'production',
    MONGODB_URI: newDatabaseUri(),
    TEMPORAL_ADDRESS: process.env.TEMPORAL_ADDRESS!,
    TEMPORAL_NAMESPACE: ownTemporalNamespace('image'),
    GDX_SECRET_KEY: randomBytes(32).toString('hex'),
    GDX_CUSTOMER_SECRETS_KEY: pair.privateKey,
    GDX_CUSTOMER_SECRETS_PUBLIC_KEY: pair.publicKey,
    GDX_OPERATOR: 'the image’s test',
    GDX_PUBLIC_URL: 'https://gdx.example',
    GDX_SMS_PROVIDER: 'webhook',
    GDX_SMS_WEBHOOK_URL: 'https://texts.example',
    PORT: String(await freePort()),
    GDX_METRICS_PORT: String(await freePort()),
    GDX_OPS_PORT: '0',
  };
}

/** The same on one machine, where customers may be on loopback and without TLS. */
export async function developmentSettings() {
  const settings = await productionSettings();
  return {
    ...settings,
    NODE_ENV: 'development',
    HOST: '127.0.0.1', // the image listens everywhere unless told otherwise
    GDX_SMS_PROVIDER: 'console',
    GDX_PUBLIC_URL: `http://127.0.0.1:${settings.PORT}`,
  };
}
