import type { Deps } from './route';

const DAY_MS = 24 * 3_600_000;

/** Until when it is kept what a customer did: as long as reports of failed deliveries. */
export const endOfCustomersAction = ({ ops }: Pick<Deps, 'ops'>) =>
  new Date(Date.now() + ops.retentionDays * DAY_MS);
