import type { Wait } from '../domain/lateness';
import { changeConfirmed, changesConfirmed } from './instruments';

/** Counts changes that a channel's customer has confirmed, and how long they waited (docs/contract.md O26). */
export function countChanges(
  channel: string,
  { waits, records, late }: { waits: Wait[]; records: number; late: number },
): void {
  for (const wait of waits)
    for (let left = wait.records; left > 0; left--) changeConfirmed.observe(wait.seconds);
  changesConfirmed.inc({ channel, on_time: 'yes' }, records - late);
  changesConfirmed.inc({ channel, on_time: 'no' }, late);
}
