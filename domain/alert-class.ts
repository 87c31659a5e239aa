import type { PageFailure } from './classify-answer';

/** Why a delivery failed: the customer's answer, or a long outage of our own (MongoDB or the workers). */
export type DeliveryFailure = PageFailure | 'infrastructure';

/** Our own failure: it neither pauses the channel nor counts towards its failure streak. */
export const isOurs = (failure: string | null): failure is 'infrastructure' => failure === 'infrastructure';

/**
 * What an operator is alerted to: a failure class, a channel that has stopped delivering, an abuse of its codes, or an
 * integration that has stopped pushing.
 */
export type AlertClass = DeliveryFailure | 'stale' | 'codes' | 'silent';

/** Whether the alert is about deliveries that fail. */
export const isFailure = (kind: AlertClass): kind is DeliveryFailure =>
  kind !== 'stale' && kind !== 'codes' && kind !== 'silent';

/** Why a notice is sent: the first failure of a class, a day of failures, a pause, or recovery. */
export type NoticeKind = 'opened' | 'day' | 'paused' | 'resolved';
