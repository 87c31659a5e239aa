import { isFailure, isOurs } from '../../domain/deliveries/alert-class';
import { channelCondition } from '../../domain/deliveries/condition';
import { failureForCustomers, forCustomers } from '../../domain/deliveries/for-customers';
import type { DeliverySpan } from '../../store/deliveries/deliveries';
import type { ChannelView } from './channel-view';

/** Hides internals of what is no row of control/: the addresses that names resolve to, details of our own failures, and why the lanes are unknown. */
export function asCustomersMaySee(view: ChannelView, now: Date): ChannelView {
  const { channel, deliveredAt, lanes, timeline } = view;
  const { paused } = channel;
  const alerts = view.alerts
    .filter(({ class: kind }) => isFailure(kind) && !isOurs(kind))
    .map((alert) => ({ ...alert, message: failureForCustomers(alert.class, alert.message)! }));
  return {
    ...view,
    channel: paused ? { ...channel, paused: { ...paused, reason: forCustomers(paused.reason) } } : channel,
    alerts,
    health: channelCondition(channel, { alerts, deliveredAt }, now),
    lanes: lanes.known
      ? {
          known: lanes.known.map((lane) => ({
            ...lane,
            why: lane.why === null ? null : forCustomers(lane.why),
          })),
        }
      : { known: null, why: 'What happens just now is not known' },
    timeline: timeline.map((row) => ({
      ...row,
      bars: row.bars.map((bar) => ({ ...bar, delivery: asTheirs(bar.delivery) })),
    })),
  };
}

const asTheirs = (delivery: DeliverySpan): DeliverySpan => ({
  ...delivery,
  failure_message: failureForCustomers(delivery.failure, delivery.failure_message),
});
