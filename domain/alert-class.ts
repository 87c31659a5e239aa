import type { Failure } from './classify-answer';

/** What an operator is alerted to: a failure of a customer's, or a channel that nothing comes out of. */
export type AlertClass = Failure | 'stale';

/** Why a notice is sent: the first failure of a kind, a day of it, a pause, recovery (delivery, "Answers"). */
export type NoticeKind = 'opened' | 'day' | 'paused' | 'resolved';
