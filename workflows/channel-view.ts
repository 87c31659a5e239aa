import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { dateAndTime, formatInstant } from '../domain/time/instants';
import { describeLane } from '../domain/deliveries/lane';
import { subjectOf } from '../domain/deliveries/subject';
import { type ChannelState, isAnyBusy } from './channel-state';
import { type Lane, viewLane } from './lane';
import { type ChannelStatus, type LastDelivery, type PlanShown, searchAttributes } from './messages';

export function viewChannel(channel: ChannelState): ChannelStatus {
  const { due, plan } = channel;
  const lanes = lanesOf(channel);
  const last = lanes.flatMap(lastDeliveries).map(([subject, { text }]) => [subject, text]);
  return {
    state:
      plan?.state === 'paused' ? 'paused' : channel.planning || isAnyBusy(channel) ? 'running' : 'waiting',
    next_due: Number.isFinite(due) ? formatInstant(due) : null,
    lanes: lanes.map((lane) => viewLane(lane, channel)),
    open_deliveries: lanes.flatMap(({ open }) => open?.id ?? []),
    last_deliveries: Object.fromEntries(last) as ChannelStatus['last_deliveries'],
  };
}

/** Publishes the operator's table, and the channel's health in the list of workflows when it has changed. */
export function publishChannel(channel: ChannelState): void {
  setCurrentDetails(channelDetails(channel));
  const failing = lanesOf(channel).some(
    ({ open, last, last_catch_up }) =>
      (open?.stalled && !channel.plan?.collects) || last?.failed || last_catch_up?.failed,
  );
  const health = channel.plan?.state === 'paused' ? 'paused' : failing ? 'failing' : 'healthy';
  if (health === channel.health) return;
  channel.health = health;
  upsertSearchAttributes([{ key: searchAttributes.outcome, value: health }]);
}

/** The entity types that the channel carries, once a plan has said which. */
const lanesOf = ({ lanes, plan }: ChannelState) =>
  plan
    ? lanes.filter((lane) => plan.markers.some(({ entity_type }) => entity_type === lane.entity_type))
    : [];

function lastDeliveries({ entity_type, last, last_catch_up }: Lane): [string, LastDelivery][] {
  return [
    ...(last ? [[subjectOf({ entity_type, catch_up: false }), last] as [string, LastDelivery]] : []),
    ...(last_catch_up
      ? [[subjectOf({ entity_type, catch_up: true }), last_catch_up] as [string, LastDelivery]]
      : []),
  ];
}

function channelDetails(channel: ChannelState): string {
  const { slug, plan } = channel;
  if (!plan) return 'Waiting for the first run.';
  const failures = lanesOf(channel)
    .flatMap(lastDeliveries)
    .filter(([, { failed }]) => failed);
  const rows = lanesOf(channel).flatMap((lane) => rowsOf(channel, plan, lane));
  return [
    `Feed of channel ${slug} to **${plan.name}**: ${sentence(channel, plan)} All times are UTC.`,
    '',
    '| entity type | now | confirmed up to | last confirmed page | last delivery |',
    '|---|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...failures.map(([subject, { text }]) => `- **${subject} failed:** ${text}`),
    ...(failures.length > 0 ? [''] : []),
    'Confirmed positions are those of the last plan; the last delivery is shown as it ended.',
  ].join('\n');
}

function rowsOf(channel: ChannelState, plan: PlanShown, lane: Lane): string[][] {
  const { entity_type, last, last_catch_up } = lane;
  const marker = plan.markers.find((one) => one.entity_type === entity_type);
  const confirmed = marker?.confirmed_to ? dateAndTime(marker.confirmed_to) : 'nothing yet';
  const delivered = marker?.delivered_at ? dateAndTime(marker.delivered_at) : 'never';
  const now = describeLane(viewLane(lane, channel));
  return [
    [entity_type, now, confirmed, delivered, last ? briefly(last) : '-'],
    ...(last_catch_up
      ? [[subjectOf({ entity_type, catch_up: true }), '', '', '', briefly(last_catch_up)]]
      : []),
  ];
}

/** Why it failed stands below the table, whose last column is narrow. */
const briefly = ({ failed, text }: LastDelivery) => (failed ? 'failed, see below' : text);

function sentence(channel: ChannelState, plan: PlanShown): string {
  if (plan.state === 'paused') return `paused (${plan.reason}). Nothing is lost: the markers wait.`;
  const due = Number.isFinite(channel.due) ? `at ${dateAndTime(channel.due)}` : 'soon';
  const busy = lanesOf(channel).filter((lane) => lane.busy);
  const doing = busy.map(({ entity_type }) => entity_type).join(', ');
  return busy.length > 0 ? `delivering ${doing}; next run ${due}.` : `next run ${due}.`;
}
