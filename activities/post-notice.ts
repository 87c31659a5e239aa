import { messageId, signedMessage } from '../outbound/sign-page';
import { formatInstant } from '../domain/time/instants';
import type { AlertWebhook } from '../domain/settings/settings-rules';
import { drain, sendRequest, wordFor } from '../outbound/send-request';
import type { Alert, Notice } from '../store/alerts/alerts';
import { readAlertSecret } from '../store/secrets/alert-secret';
import type { Store } from '../store/store';
import { type AlertMessage, forReceiver, type HeadsMessage } from './webhook-body';

const TIMEOUT_MS = 5_000;

interface SignedWebhook {
  url: string;
  secret: string;
}

/** The operator's webhook with the secret that signs for it: the operator's, or else the service's own. */
export async function webhookOf(
  store: Store,
  webhook: AlertWebhook | undefined,
): Promise<SignedWebhook | undefined> {
  return webhook && { url: webhook.url, secret: webhook.secret ?? (await readAlertSecret(store)) };
}

/** Posts one notice. A repeat has the same `webhook-id` and body. @returns what is wrong, or undefined for any 2xx */
export async function postNotice(
  webhook: SignedWebhook,
  alert: Alert,
  notice: Notice,
): Promise<string | undefined> {
  return postSigned(webhook, messageId(`${alert._id}/${notice.key}`), messageOf(alert, notice));
}

/**
 * Posts a message to the operator's own webhook, signed like a page (docs/decisions/0004). The operator sets the address,
 * so no outbound guard applies.
 * @returns what is wrong; undefined for any 2xx, and for a receiver that takes no such message
 */
export async function postSigned(
  { url, secret }: SignedWebhook,
  id: string,
  message: AlertMessage | HeadsMessage,
): Promise<string | undefined> {
  const sent = forReceiver(url, message);
  if (!sent) return undefined;
  try {
    const { ok, status, body } = await sendRequest(sent.url, {
      method: 'POST',
      ...(await signedMessage(id, sent.body, { signingSecrets: [secret] })),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await drain(body);
    return ok ? undefined : `answered ${status}`;
  } catch (error) {
    const why = wordFor(error);
    return why === 'TimeoutError' ? 'no answer within 5 s' : why;
  }
}

function messageOf(alert: Alert, notice: Notice): AlertMessage {
  const { channel, integration } = alert;
  const ofChannel = channel.includes('/') ? 'gdx alerts' : `gdx channel show ${channel}`;
  const where = integration === undefined ? ofChannel : 'gdx integration list';
  return {
    type: `alert.${notice.kind}`,
    timestamp: formatInstant(notice.at),
    text: `${notice.kind} (${alert.class}): ${notice.message}. See ${where}`,
    data: {
      alert: alert._id,
      ...(integration === undefined ? { channel } : { channel: null, integration }),
      class: alert.class,
      state: notice.kind === 'resolved' ? 'resolved' : 'open',
      message: notice.message,
      opened_at: formatInstant(alert.opened_at),
    },
  };
}
