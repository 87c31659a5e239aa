import { timeNow } from '../domain/time/elapsed';
import type { Logger } from 'pino';
import { retryDelay } from '../domain/deliveries/retry-delay';
import type { AlertWebhook } from '../domain/settings/settings-rules';
import {
  type Alert,
  claimUnsent,
  countUnsent,
  markSent,
  type Notice,
  releaseClaim,
} from '../store/alerts/alerts';
import type { Store } from '../store/store';
import { postNotice, webhookOf } from './post-notice';

export interface AlertDeps {
  store: Store;
  log: Logger;
  /** Without one, alerts are stored, logged and listed by `gdx alerts`. */
  alertWebhook?: AlertWebhook | undefined;
}

// A delivery waits for one pass; the reconciler sends the rest.
const PASS_MS = 15_000;

/** Sends unsent notices. While the webhook is down, the pause between tries grows exponentially. */
export function createSendAlert({ store, log, alertWebhook }: AlertDeps) {
  const quiet = { until: 0, failures: 0 };

  async function sendNotice(alert: Alert, notice: Notice): Promise<boolean> {
    const { channel, class: kind } = alert;
    const fields = { channel, class: kind, notice: notice.kind, message: notice.message };
    const webhook = await webhookOf(store, alertWebhook);
    const problem = webhook && (await postNotice(webhook, alert, notice));
    if (problem === undefined)
      log[notice.kind === 'resolved' ? 'info' : 'warn'](fields, `alert ${notice.kind}`);
    else log.warn({ ...fields, problem }, 'the alert webhook refused a notice: it is sent again');
    return problem === undefined;
  }

  async function sendAll(alert: Alert): Promise<{ sent: number; down: boolean }> {
    let sent = 0;
    for (const notice of alert.notices) {
      if (notice.sent_at) continue;
      if (!(await sendNotice(alert, notice))) return { sent, down: true };
      await markSent(store, alert._id, notice.key, timeNow());
      sent += 1;
    }
    await releaseClaim(store, alert);
    return { sent, down: false };
  }

  return async function sendAlert(): Promise<{ sent: number; unsent: number }> {
    const started = performance.now();
    let sent = 0;
    while (quiet.until <= performance.now() && performance.now() - started < PASS_MS) {
      const alert = await claimUnsent(store, timeNow());
      if (!alert) break;
      const result = await sendAll(alert);
      sent += result.sent;
      quiet.failures = result.down ? quiet.failures + 1 : 0;
      quiet.until = result.down ? performance.now() + retryDelay(quiet.failures, Math.random()) : 0;
    }
    return { sent, unsent: await countUnsent(store) };
  };
}
