import { count } from '../../../domain/count';
import { isEntityType, WRAPPER_KEYS, type EntityType } from '../../../domain/entity-types';
import { releaseSetAside } from '../../../store/set-aside';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel';

const NONE_CHOSEN = 'Choose the records to send again';

/** Sends records that were set aside again: those that are ticked, or all of the channel. */
export async function release(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const { form } = ctx.state;
  const refuse = (field: string, message: string) =>
    answerChannel(ctx, deps, channel, { form: 'release', field, message });
  const all = form.get('which') === 'all';
  const chosen = byType(form.getAll('record'));
  if (!all && chosen.size === 0) return refuse('record', NONE_CHOSEN);
  const acted = await act(ctx, deps, {
    verb: 'release',
    channel,
    about: all ? 'all' : [...chosen].map(([type, records]) => countOf(type, records)).join(', '),
    async run() {
      const released = all ? await releaseSetAside(deps.store, channel._id, {}) : await releaseChosen();
      if (released === 0) return 'None of these was set aside any more.';
      const heard = await deps.bell.settingsChanged(channel._id, 'released');
      return `Released ${released}. ${whenSent(heard)}`;
    },
  });
  if (!acted) await refuse('reason', NO_REASON);

  async function releaseChosen(): Promise<number> {
    let released = 0;
    for (const [entity_type, records] of chosen) {
      released += await releaseSetAside(deps.store, channel._id, { entity_type, records });
    }
    return released;
  }

  function whenSent(heard: boolean): string {
    if (channel.state === 'paused') return 'They are sent when the channel is resumed.';
    return heard ? 'They are sent now.' : 'Temporal does not answer: they go out with the next run.';
  }
}

const countOf = (type: EntityType, { length }: string[]) => count(length, WRAPPER_KEYS[type], type);

/** The ticks, `<entity_type>/<record>` each. */
function byType(ticked: string[]): Map<EntityType, string[]> {
  const chosen = new Map<EntityType, string[]>();
  for (const tick of ticked) {
    const [type, ...record] = tick.split('/');
    if (isEntityType(type)) chosen.set(type, [...(chosen.get(type) ?? []), record.join('/')]);
  }
  return chosen;
}
