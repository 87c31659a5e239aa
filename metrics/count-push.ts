import { pushes, pushRecords } from './instruments';

/** A push was answered, whatever the answer. */
export function countPush(status: number): void {
  pushes.inc({ status });
}

/** A push was stored. */
export function countPushRecords({ changed, unchanged }: { changed: number; unchanged: number }): void {
  pushRecords.inc({ status: 'changed' }, changed);
  pushRecords.inc({ status: 'unchanged' }, unchanged);
}
