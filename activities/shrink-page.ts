import { limitPageSize } from '../store/channels';
import type { PageRecord } from '../store/records';
import { confirm, type PageAttempt, type PageStep, type Place, type Unanswered } from './deliver-page';
import { putAside } from './put-aside';

/** After a 413: half the records from now on, the size is remembered; one alone is set aside (delivery, "Answers"). */
export async function shrinkPage(
  attempt: PageAttempt,
  place: Place,
  page: PageRecord[],
  tooLarge: Unanswered,
): Promise<PageStep> {
  const [record, ...more] = page;
  if (more.length > 0) {
    await limitPageSize(attempt.store, attempt.input.channel, Math.floor(page.length / 2));
    return { stopped: 'resized' };
  }
  const tooMany = await putAside(attempt, record!, tooLarge);
  return tooMany ?? confirm(attempt, place, [], { at: record!.position, bytes: 0, pages: 0 });
}
