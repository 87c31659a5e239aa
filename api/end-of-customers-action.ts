import type { Deps } from './route';

const DAY_MS = 24 * 3_600_000;

/** When the record of a customer's action expires: with the reports of failed deliveries. */
export const endOfCustomersAction = ({ ops }: Pick<Deps, 'ops'>) =>
  new Date(Date.now() + ops.retentionDays * DAY_MS);
