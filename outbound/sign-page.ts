import { timeNow } from '../domain/time/elapsed';
import { createHash, createHmac, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { keepLast } from '../domain/records/keep-last';
import { privateKeyFrom } from '../domain/settings/raw-keys';
import { withBefore } from '../domain/deliveries/render-page';

/**
 * The `webhook-id` of a page: equal bytes sent again keep it, and pages after a reset get new ones
 * (docs/contract.md C6).
 * @param scope what distinguishes pages of equal bodies
 */
export function webhookId(
  scope: {
    channel: string;
    entityType: string;
    generation: number;
    account: string | undefined;
    shares?: number;
  },
  body: Buffer,
): string {
  const { channel, entityType, generation, account = '', shares = '' } = scope;
  return messageId(`${channel}/${entityType}/${generation}/${account}\n${shares}`, body);
}

/** The `webhook-id` of a message. Equal parts give an equal id. */
export function messageId(...of: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of of) hash.update(part);
  return `msg_${hash.digest('hex').slice(0, 32)}`;
}

/** What signs a page: each secret adds a `v1` signature, each ed25519 key a `v1a` signature. */
export interface Signers {
  /** `whsec_` */
  signingSecrets: string[];
  /** `whsk_` */
  signingKeys?: string[];
}

/**
 * The headers of Standard Webhooks 1.0.0 over the exact bytes sent, with one signature per secret and key. Uses
 * node:crypto, as the standard's own package hashes in JavaScript (docs/decisions/0004).
 */
export async function signPage(
  id: string,
  body: Buffer,
  { signingSecrets, signingKeys = [] }: Signers,
  now: Date,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signed = withBefore(Buffer.from(`${id}.${timestamp}.`), body);
  const signing = Promise.all(
    signingKeys.map(async (key) => {
      // Ed25519 reads the message twice, so it runs in the thread pool, beside other signatures and pages.
      const signature = await signInThreadPool(null, signed, signingKeyOf(key));
      return `v1a,${signature.toString('base64')}`;
    }),
  );
  const symmetric = signingSecrets.map((secret) => {
    const key = bytesOf(secret);
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [...symmetric, ...(await signing)].join(' '),
  };
}

const signInThreadPool = promisify(sign);

const MOST_KEYS = 10_000;
const signingKeyOf = keepLast(MOST_KEYS, (key) => privateKeyFrom('Ed25519', bytesOf(key)));

const bytesOf = (key: string) => Buffer.from(key.replace(/^wh(?:sec|sk)_/, ''), 'base64');

/** A message that is not a page, as JSON, with its headers: signed like a page (docs/decisions/0004). */
export async function signedMessage(
  id: string,
  message: object,
  signers: Signers,
): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const body = Buffer.from(JSON.stringify(message));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'grain-data-exchange',
    ...(await signPage(id, body, signers, timeNow())),
  };
  return { headers, body };
}
