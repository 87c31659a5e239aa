import { createHash } from 'node:crypto';
import { formatInstant } from '../domain/instants';
import type { Alert, Notice } from '../store/alerts';
import { signPage } from './customer/sign-page';

const PATIENCE_MS = 5_000;

/**
 * Posts one notice to the operator's own webhook, signed as pages are (delivery, signing). Sent again it has the same
 * `webhook-id` and the same body. The address is the operator's: no guard is between.
 * @returns what is wrong, or undefined for any 2xx
 */
export async function postNotice(
  { url, secret }: { url: string; secret: string },
  alert: Alert,
  notice: Notice,
): Promise<string | undefined> {
  const body = Buffer.from(JSON.stringify(messageOf(alert, notice)));
  const hash = createHash('sha256').update(`${alert._id}/${notice.key}`).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'grain-data-exchange',
        ...signPage(`msg_${hash.slice(0, 32)}`, body, [secret], new Date()),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `answered ${response.status}`;
  } catch (error) {
    // Never the message, which may quote the address: whoever has that can post to it.
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return name === 'TimeoutError' ? 'no answer within 5 s' : (cause?.code ?? name);
  }
}

function messageOf(alert: Alert, notice: Notice) {
  return {
    type: `alert.${notice.kind}`,
    timestamp: formatInstant(notice.at),
    data: {
      alert: alert._id,
      channel: alert.channel,
      class: alert.class,
      state: notice.kind === 'resolved' ? 'resolved' : 'open',
      message: notice.message,
      opened_at: formatInstant(alert.opened_at),
    },
  };
}
