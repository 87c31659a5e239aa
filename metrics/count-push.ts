import { pushes, pushedRecords } from './instruments';

/** A push was answered, whatever the answer. */
export function countPush(status: number): void {
  pushes.inc({ status });
}

/** A push was stored. */
export function countPushRecords({ changed, unchanged }: { changed: number; unchanged: number }): void {
  pushedRecords.inc({ status: 'changed' }, changed);
  pushedRecords.inc({ status: 'unchanged' }, unchanged);
}
