import { createHash, createHmac } from 'node:crypto';

/**
 * The id of a page: equal bytes sent again keep it, a reset's pages get new ones (contract 3).
 * @param scope what the body alone does not tell apart
 */
export function webhookId(
  scope: { channel: string; entityType: string; generation: number; account: string | undefined },
  body: Buffer,
): string {
  const { channel, entityType, generation, account = '' } = scope;
  const hash = createHash('sha256')
    .update(`${channel}/${entityType}/${generation}/${account}\n`)
    .update(body);
  return `msg_${hash.digest('hex').slice(0, 32)}`;
}

/**
 * The headers of Standard Webhooks 1.0.0 over the exact bytes sent, with one signature for each secret.
 * By node:crypto, as the standard's own package hashes in JavaScript (docs/decisions/0004-signing.md).
 */
export function signPage(id: string, body: Buffer, secrets: string[], now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
