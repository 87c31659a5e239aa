import { pushedRecords, pushGroups } from './instruments';

/** A push was stored. */
export function countPushRecords({ changed, unchanged }: { changed: number; unchanged: number }): void {
  pushedRecords.inc({ status: 'changed' }, changed);
  pushedRecords.inc({ status: 'unchanged' }, unchanged);
}

/** So many pushes were stored in one transaction. */
export function countPushGroup(pushes: number): void {
  pushGroups.observe(pushes);
}
