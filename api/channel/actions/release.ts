import { everything, release } from '../../../control/release';
import { isEntityType, type EntityType } from '../../../domain/entity-types';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel-page';
import type { PageDeps, SignedInContext } from '../signed-in-state';

const NONE_CHOSEN = 'Choose the records to send again';

/** Sends records that were set aside again: those that are ticked, or all of the channel. */
export async function releaseFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const { form } = ctx.state;
  const refuse = (field: string, message: string) =>
    answerChannel(ctx, deps, channel, { form: 'release', field, message });
  const chosen = form.get('which') === 'all' ? everything : byType(form.getAll('record'));
  if (chosen.size === 0) return refuse('record', NONE_CHOSEN);
  const acted = await act(ctx, deps, 'release', channel, (asker) => release(deps, channel, chosen, asker));
  if (!acted) await refuse('reason', NO_REASON);
}

/** The ticks, `<entity_type>/<record>` each. */
function byType(ticked: string[]): Map<EntityType, string[]> {
  const chosen = new Map<EntityType, string[]>();
  for (const tick of ticked) {
    const [type, ...record] = tick.split('/');
    if (isEntityType(type)) chosen.set(type, [...(chosen.get(type) ?? []), record.join('/')]);
  }
  return chosen;
}
