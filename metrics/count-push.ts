import { pushedRecords, pushGroups } from './instruments';

/** Counts the records of a stored push. */
export function countPushRecords({ changed, unchanged }: { changed: number; unchanged: number }): void {
  pushedRecords.inc({ status: 'changed' }, changed);
  pushedRecords.inc({ status: 'unchanged' }, unchanged);
}

/** Counts the pushes that one transaction has stored. */
export function countPushGroup(pushes: number): void {
  pushGroups.observe(pushes);
}
