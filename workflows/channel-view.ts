import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { ENTITY_TYPES } from '../domain/entity-types';
import { formatInstant } from '../domain/instants';
import { type Subject, subjectOf } from '../domain/subject';
import {
  type ChannelHealth,
  type ChannelStatus,
  type LastDelivery,
  type PlanShown,
  searchAttributes,
} from './messages';
import { dateAndTime } from './sentences';

/** What a channel knows of itself: what it carries on, and what an operator is shown. */
export interface ChannelView {
  slug: string;
  due: number | undefined;
  last: Partial<Record<Subject, LastDelivery>>;
  health: ChannelHealth | undefined;
  /** The deliveries under way, by id; and what the customer did to the first try of one that has stalled. */
  open: Map<string, { stalled?: string }>;
  plan: PlanShown | undefined;
}

export function channelStatus(view: ChannelView): ChannelStatus {
  const last = Object.entries(view.last).map(([type, { text }]) => [type, text]);
  return {
    state: view.plan?.state === 'paused' ? 'paused' : view.open.size > 0 ? 'running' : 'waiting',
    next_due: view.due === undefined ? null : formatInstant(view.due),
    open_deliveries: [...view.open.keys()],
    last_deliveries: Object.fromEntries(last) as ChannelStatus['last_deliveries'],
  };
}

/** Shows the table of operators.md, and the channel's health in the list of workflows when it has changed. */
export function showChannel(view: ChannelView): void {
  setCurrentDetails(channelDetails(view));
  const stalled = [...view.open.values()].some((delivery) => delivery.stalled);
  const failing = stalled || Object.values(view.last).some(({ failed }) => failed);
  const health = view.plan?.state === 'paused' ? 'paused' : failing ? 'failing' : 'healthy';
  if (health === view.health) return;
  view.health = health;
  upsertSearchAttributes([{ key: searchAttributes.outcome, value: health }]);
}

function channelDetails(view: ChannelView): string {
  const { plan } = view;
  if (!plan) return 'Waiting for the first run.';
  const rows = plan.markers.flatMap(({ entity_type: type, confirmed_to, delivered_at }) => {
    const catchUp = subjectOf({ entity_type: type, catch_up: true });
    const earlier = view.last[catchUp];
    const confirmed = confirmed_to ? dateAndTime(confirmed_to) : 'nothing yet';
    const delivered = delivered_at ? dateAndTime(delivered_at) : 'never';
    return [
      [type, confirmed, delivered, view.last[type]?.text ?? '-'],
      ...(earlier ? [[catchUp, '', '', earlier.text]] : []),
    ];
  });
  return [
    `Feed of channel ${view.slug} to **${plan.name}**: ${sentence(view, plan)} All times are UTC.`,
    '',
    '| entity type | confirmed up to | last confirmed page | last delivery |',
    '|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    'What is confirmed is shown as the last run found it when it began; the last delivery as it ended.',
  ].join('\n');
}

function sentence(view: ChannelView, plan: PlanShown): string {
  if (plan.state === 'paused') return `paused (${plan.reason}). Nothing is lost: the markers wait.`;
  const open = ENTITY_TYPES.filter((type) => [...view.open.keys()].some((id) => id.includes(`/${type}/`)));
  const stalled = [...view.open.values()].find((delivery) => delivery.stalled)?.stalled;
  if (stalled) return `${stalled}; trying ${open.join(', ')} again.`;
  if (open.length > 0) return `delivering ${open.join(', ')}.`;
  const due = view.due === undefined ? 'soon' : `at ${dateAndTime(formatInstant(view.due))}`;
  if (plan.not_before) return `asked for time until ${dateAndTime(plan.not_before)}. Next run ${due}.`;
  return `next run ${due}.`;
}
