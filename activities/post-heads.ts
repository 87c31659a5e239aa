import { createHash } from 'node:crypto';
import { formatInstant } from '../domain/time/instants';
import type { Channel } from '../store/channels/channels';
import { formatErasure, markPosted, readNewest, readUnposted } from '../store/consent/erasures';
import { formatActionHead, markActionHeadPosted, readDueActionHead } from '../store/consent/action-chain';
import { markHeadsPosted, readDueHeads } from '../store/consent/ledger-heads';
import type { AlertDeps } from './send-alert';
import { postSigned, webhookOf } from './post-notice';

// A pass of the reconciler has a minute.
const MOST_WAIT_MS = 15_000;

/**
 * Makes the function of one pass that posts the heads of the ledgers of a page of channels, that of the actions, and the
 * erasures, to the operator's webhook, signed. Without a webhook they are only logged. Whoever keeps these messages can
 * see later that the end of a ledger was cut off (docs/decisions/0025), and can repeat the erasures that a
 * restored backup undoes. No alert is opened. The pass waits for each answer, so it posts no more once the
 * webhook has failed, or has taken 15 s in all.
 */
export function createPostHeads({ store, log, alertWebhook }: AlertDeps) {
  let isDown = false;
  let waited = 0;
  return async function postHeads(channels: Channel[], now: Date): Promise<void> {
    if (isDown || waited >= MOST_WAIT_MS) return;
    const due = await readDueHeads(store, channels, now);
    const unposted = await readUnposted(store);
    const actions = await readDueActionHead(store, now);
    if (due.length + unposted.length === 0 && !actions) return;
    const heads = [...due.map(({ head }) => head), ...(actions ? [formatActionHead(actions)] : [])];
    const erasures = (unposted.length > 0 ? unposted : await readNewest(store)).map(formatErasure);
    const text = `Heads of the ledger: ${[...heads, ...erasures].join(', ')}`;
    const message = {
      type: 'ledger.heads',
      timestamp: formatInstant(now),
      text,
      data: { heads, erasures },
    } as const;
    const id = createHash('sha256').update(JSON.stringify(message)).digest('hex').slice(0, 32);
    const webhook = await webhookOf(store, alertWebhook);
    const asked = performance.now();
    const problem = webhook && (await postSigned(webhook, `msg_${id}`, message));
    waited += performance.now() - asked;
    isDown = problem !== undefined;
    if (isDown)
      return log.warn(
        { heads, erasures, problem },
        'the alert webhook refused the heads of the ledger: they are sent again',
      );
    log.info({ heads, erasures }, 'heads of the ledger');
    await markHeadsPosted(store, due, now);
    await markPosted(store, unposted, now);
    if (actions) await markActionHeadPosted(store, actions, now);
  };
}
