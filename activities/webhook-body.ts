import { YEAR_MS } from '../domain/time/spans';

/** A notice of an alert, for the operator's webhook. `text` says all of it in one line. */
export interface AlertMessage {
  type: `alert.${string}`;
  timestamp: string;
  text: string;
  data: {
    alert: string;
    channel: string | null;
    integration?: string;
    class: string;
    state: 'open' | 'resolved';
    message: string;
    opened_at: string;
  };
}

/** The heads of the ledgers, and the erasures as numbered hashes. */
export interface HeadsMessage {
  type: 'ledger.heads';
  timestamp: string;
  text: string;
  data: { heads: string[]; erasures: string[] };
}

type Message = AlertMessage | HeadsMessage;
const isAlert = (message: Message): message is AlertMessage => message.type !== 'ledger.heads';

/**
 * The message in the format of its receiver, which the webhook's address tells (docs/operator.md#alerts).
 * Slack gets the text, PagerDuty and Alertmanager their own formats, and any other receiver the whole
 * message.
 * @returns undefined if the receiver knows only alerts and the message is not one
 */
export function forReceiver(webhook: string, message: Message): { url: string; body: object } | undefined {
  const url = new URL(webhook);
  if (url.hostname === 'hooks.slack.com') return { url: webhook, body: { text: message.text } };
  if (url.pathname.endsWith('/v2/enqueue'))
    return isAlert(message) ? { url: withoutKey(url), body: forPagerDuty(url, message) } : undefined;
  if (url.pathname.endsWith('/api/v2/alerts'))
    return isAlert(message) ? { url: webhook, body: forAlertmanager(message) } : undefined;
  return { url: webhook, body: message };
}

const ROUTING_KEY = 'routing_key';

function withoutKey(url: URL): string {
  const bare = new URL(url);
  bare.searchParams.delete(ROUTING_KEY);
  return bare.href;
}

// PagerDuty's Events API v2.
const forPagerDuty = (url: URL, { timestamp, text, data }: AlertMessage) => ({
  routing_key: url.searchParams.get(ROUTING_KEY),
  event_action: data.state === 'resolved' ? 'resolve' : 'trigger',
  dedup_key: data.alert,
  payload: {
    summary: text.slice(0, 1_024),
    source: 'grain-data-exchange',
    severity: 'error',
    timestamp,
    component: data.channel ?? data.integration,
    class: data.class,
    custom_details: data,
  },
});

/** An alert ends when it is resolved. Without `endsAt`, Alertmanager would end it after five minutes. */
const forAlertmanager = ({ timestamp, data }: AlertMessage) => [
  {
    labels: {
      alertname: 'GdxAlert',
      class: data.class,
      ...(data.channel === null ? { integration: data.integration } : { channel: data.channel }),
    },
    annotations: { summary: data.message },
    startsAt: data.opened_at,
    endsAt: data.state === 'resolved' ? timestamp : new Date(Date.parse(timestamp) + YEAR_MS).toISOString(),
  },
];
