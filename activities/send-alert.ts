import type { Logger } from 'pino';
import { retryDelay } from '../domain/retry-delay';
import type { AlertWebhook } from '../domain/settings-rules';
import { claimUnsent, countUnsent, markSent, releaseClaim } from '../store/alert-outbox';
import type { Alert, Notice } from '../store/alerts';
import { alertSecret } from '../store/alert-secret';
import type { Store } from '../store/connect';
import { postNotice } from './post-notice';

export interface AlertDeps {
  store: Store;
  log: Logger;
  /** None: alerts are kept, listed by `gdx alerts`, and logged. */
  alertWebhook?: AlertWebhook | undefined;
}

// One pass must not keep a delivery waiting; what is left, the reconciler sends.
const PASS_MS = 15_000;

/** Sends what is unsent. A webhook that is down is left alone for longer and longer, and asked again by whoever comes. */
export function createSendAlert({ store, log, alertWebhook }: AlertDeps) {
  const quiet = { until: 0, failures: 0 };

  async function sendNotice(alert: Alert, notice: Notice): Promise<boolean> {
    const { channel, class: kind } = alert;
    const said = { channel, class: kind, notice: notice.kind, message: notice.message };
    const secret = alertWebhook?.secret ?? alertSecret(store);
    const problem = alertWebhook && (await postNotice({ url: alertWebhook.url, secret }, alert, notice));
    if (problem === undefined)
      log[notice.kind === 'resolved' ? 'info' : 'warn'](said, `alert ${notice.kind}`);
    else log.warn({ ...said, problem }, 'the alert webhook did not take it: it is sent again');
    return problem === undefined;
  }

  async function sendAll(alert: Alert): Promise<{ sent: number; down: boolean }> {
    let sent = 0;
    for (const notice of alert.notices) {
      if (notice.sent_at) continue;
      if (!(await sendNotice(alert, notice))) return { sent, down: true };
      await markSent(store, alert._id, notice.key, new Date());
      sent += 1;
    }
    await releaseClaim(store, alert);
    return { sent, down: false };
  }

  return async function sendAlert(): Promise<{ sent: number; unsent: number }> {
    const started = Date.now();
    let sent = 0;
    while (quiet.until <= Date.now() && Date.now() - started < PASS_MS) {
      const alert = await claimUnsent(store, new Date());
      if (!alert) break;
      const result = await sendAll(alert);
      sent += result.sent;
      quiet.failures = result.down ? quiet.failures + 1 : 0;
      quiet.until = result.down ? Date.now() + retryDelay(quiet.failures, Math.random()) : 0;
    }
    return { sent, unsent: await countUnsent(store) };
  };
}
