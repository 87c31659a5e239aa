import { timeNow } from '../domain/time/elapsed';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import { answerWithin } from '../outbound/answer-within';
import { postPage } from '../outbound/post-page';
import { messageId, signedMessage } from '../outbound/sign-page';
import { addTo } from '../domain/records/add-to';
import { classifyAnswer } from '../domain/deliveries/classify-answer';
import { withoutAddress } from '../domain/settings/denied-address';
import { formatInstant } from '../domain/time/instants';
import type { Alert } from '../store/alerts/alerts';
import {
  type CustomerNotice,
  type CustomerNoticeType,
  forgetUntold,
  handOnAlerts,
  listUntold,
  listWaiting,
  noteTold,
  noteUntold,
} from '../store/alerts/customer-notices';
import { type Channel, findChannel, findEvenClosed, openSecrets } from '../store/channels/channels';
import { listCarriers } from '../store/consent/subscriptions';
import { isHeardFrom } from '../store/push/push-activity';
import type { Store } from '../store/store';

interface Deps {
  store: Store;
  agent: Agent;
  log: Logger;
}

// The reconciler waits for one pass; the next one continues.
const PASS_MS = 30_000;
const TIMEOUT_MS = 10_000;
// Customers told at a time. One that hangs occupies one of these places.
const AT_ONCE = 20;
// A pass leaves a customer after this many failing queues, such as its own and that of an earlier address.
const MOST_STUCK = 2;

/**
 * Posts notices to customers, many customers at a time and each queue in its order. Queues that failed before
 * come last.
 * @returns how many notices were taken
 */
export function createTellCustomers(deps: Deps) {
  return async function tellCustomers(): Promise<number> {
    const { store } = deps;
    const until = performance.now() + PASS_MS - TIMEOUT_MS;
    await handOnAlerts(store, timeNow(), (alert, type) => hearersOf(store, alert, type));
    const customers = queuesOf(await listUntold(store, timeNow())).values();
    const tellNext = async () => {
      let told = 0;
      for (const queues of customers) {
        if (performance.now() > until) break;
        told += await tellCustomer(deps, queues, until);
      }
      return told;
    };
    const told = await Promise.all(Array.from({ length: AT_ONCE }, tellNext));
    return told.reduce((sum, one) => sum + one, 0);
  };
}

/**
 * The alert's channel, or each that carries its company. Of a customer that collects its pages nobody else is late, and a paused
 * channel has not recovered. Nor has a company whose silent ERP has ended, or of which another one is silent.
 */
async function hearersOf(
  store: Store,
  { channel: slug, class: kind, company }: Alert,
  type: CustomerNoticeType,
): Promise<Channel[]> {
  const isOver = type === 'source.recovered';
  if (company && isOver && !(await isHeardFrom(store, company.id, timeNow()))) return [];
  if (company) return listCarriers(store, company.id);
  const channel = await findChannel(store, slug);
  if (kind === 'stale' && (channel?.delivery === 'pull' || channel?.state === 'paused')) return [];
  return channel ? [channel] : [];
}

const slugOf = (queue: string) => queue.replace(/\/.*/, '');

/** Groups queues by customer, and keeps their order. */
function queuesOf(all: string[]): Map<string, string[]> {
  const queues = new Map<string, string[]>();
  for (const queue of all) addTo(queues, slugOf(queue), queue);
  return queues;
}

/**
 * Posts a customer's queues one after the other. It stops after a few that fail, so that a customer with many
 * failing addresses does not hold up the others.
 */
async function tellCustomer(deps: Deps, queues: string[], until: number): Promise<number> {
  let [told, stuck] = [0, 0];
  for (const queue of queues) {
    if (stuck === MOST_STUCK || performance.now() > until) break;
    const { posted, isStuck } = await tellQueue(deps, queue, until).catch((error: Error) => {
      const channel = slugOf(queue);
      deps.log.error({ channel, error: error.message }, 'a customer could not be told: its notices wait');
      return { posted: 0, isStuck: true };
    });
    told += posted;
    if (isStuck) stuck += 1;
  }
  return told;
}

/** @param queue the channel's slug, or `<slug>/<address>` */
async function tellQueue(
  { store, agent, log }: Deps,
  queue: string,
  until: number,
): Promise<{ posted: number; isStuck: boolean }> {
  const slug = slugOf(queue);
  const channel = await findEvenClosed(store, slug);
  if (!channel || (queue === slug && !channel.notify_url)) {
    await forgetUntold(store, queue);
    return { posted: 0, isStuck: false };
  }
  const signers = await openSecrets(store, channel, timeNow());
  let posted = 0;
  for (const notice of await listWaiting(store, queue)) {
    if (performance.now() > until) break;
    const signed = await signedMessage(messageId(`notice/${notice._id}`), messageOf(notice, slug), signers);
    const problem = await post(agent, { url: notice.url ?? channel.notify_url!, ...signed });
    const { type } = notice;
    if (problem !== undefined) {
      await noteUntold(store, notice, problem, timeNow());
      log.info({ channel: slug, type, problem }, 'a customer did not take a notice: it is posted again');
      return { posted, isStuck: true };
    }
    await noteTold(store, notice._id, timeNow());
    posted += 1;
  }
  return { posted, isStuck: false };
}

/** @returns what is wrong, or undefined for any 2xx */
async function post(agent: Agent, message: Parameters<typeof postPage>[1]): Promise<string | undefined> {
  const answer = await answerWithin(TIMEOUT_MS, (signal) =>
    postPage(agent, message, signal, async () => true),
  );
  const verdict = classifyAnswer(answer);
  return verdict && withoutAddress(verdict.reason);
}

const messageOf = ({ type, at, data }: CustomerNotice, channel: string) => ({
  type,
  timestamp: formatInstant(at),
  data: { channel, ...data },
});
