import { isFailure, isOurs } from '../../../domain/alert-class';
import { withoutAddress } from '../../../domain/denied-address';
import type { ChannelView } from './channel-view';

/** Nothing of the inside: no address that a name led to, no failure of ours, and not what Temporal is doing. */
export function asCustomersMaySee(view: ChannelView): ChannelView {
  const { alerts, deliveries, lanes, timeline } = view;
  return {
    ...view,
    alerts: alerts
      .filter(({ class: kind }) => isFailure(kind) && !isOurs(kind))
      .map((alert) => ({ ...alert, message: withoutAddress(alert.message) })),
    deliveries: deliveries.map((delivery) => ({
      ...withoutAddresses(delivery),
      failed_attempts: delivery.failed_attempts.map((attempt) => ({
        ...attempt,
        reason: withoutAddress(attempt.reason),
      })),
    })),
    lanes: lanes.known
      ? {
          known: lanes.known.map((lane) => ({
            ...lane,
            why: lane.why === null ? null : withoutAddress(lane.why),
          })),
        }
      : { known: null, why: 'What happens just now is not known' },
    timeline: timeline.map((row) => ({
      ...row,
      bars: row.bars.map((bar) => ({ ...bar, delivery: withoutAddresses(bar.delivery) })),
    })),
  };
}

const withoutAddresses = <D extends { failure_message: string | null }>(delivery: D): D => ({
  ...delivery,
  failure_message: delivery.failure_message && withoutAddress(delivery.failure_message),
});
