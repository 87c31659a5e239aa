import { addTo } from '../domain/records/add-to';
import { count } from '../domain/records/count';
import { ENTITY_TYPES, type EntityType, isEntityType, WRAPPER_KEYS } from '../domain/records/entity-types';
import type { Channel } from '../store/channels/channels';
import { releaseSetAside } from '../store/deliveries/set-aside';
import { deed, flaw } from './deed';
import { typedField } from './fields';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** Records of each entity type by id; `all` of an entity type. */
type Chosen = Map<EntityType, string[] | 'all'>;

const everything: Chosen = new Map(ENTITY_TYPES.map((type) => [type, 'all']));

/** Resends set-aside records with the next run. @returns their number as well */
export async function releaseRecords(
  parts: Parts,
  channel: Channel,
  chosen: Chosen,
  asker: Asker,
): Promise<(Result & { released: number }) | undefined> {
  const { _id: slug } = channel;
  const action = { action: 'release', channel: slug, about: say(chosen), before: {} } as const;
  return recordAction(parts, asker, action, async () => {
    const released = await releaseChosen(parts, slug, chosen);
    if (released === 0)
      return { released, outcome: 'None of these was set aside any more.', signalled: true };
    const signalled = await parts.temporal.settingsChanged(slug, 'released', asker.request_id);
    return { released, outcome: `Released ${released}. ${whenSent(channel, signalled)}`, signalled };
  });
}

/** From the list of a channel's page: those that are ticked there, or all. */
export const release = deed<{ released: number }>()({
  name: 'release',
  input: {
    record: typedField({ isList: true }, byType),
    which: typedField({}, (typed: string) => typed),
  },
  together: {
    fields: ['record', 'which'],
    judge: ({ record, which }) =>
      which !== 'all' && record.size === 0
        ? flaw('choose the records to send again', { isWhole: true })
        : undefined,
  },
  page: { doors: ['operator', 'channel'], done: 'Released records', maxFormBytes: 256 * 1024 },
  run: (parts, channel, { record, which }, asker) =>
    releaseRecords(parts, channel, which === 'all' ? everything : record, asker),
});

async function releaseChosen({ store }: Parts, slug: string, chosen: Chosen): Promise<number> {
  let released = 0;
  for (const [entity_type, records] of chosen)
    released += await releaseSetAside(store, slug, { entity_type, ...(records !== 'all' && { records }) });
  return released;
}

/** `<entity_type>/<record>` each. */
function byType(ticks: string[]): Chosen {
  const chosen = new Map<EntityType, string[]>();
  for (const tick of ticks) {
    const [type, ...record] = tick.split('/');
    if (isEntityType(type)) addTo(chosen, type, record.join('/'));
  }
  return chosen;
}

/** "2 tickets, 1 account", "2 records" of whichever type, "all tickets", "all" */
function say(chosen: Chosen): string {
  const [first] = chosen.values();
  if (first && ENTITY_TYPES.every((type) => chosen.get(type) === first))
    return first === 'all' ? first : count(first.length, 'record');
  return [...chosen]
    .map(([type, ids]) => (ids === 'all' ? `all ${type}` : count(ids.length, WRAPPER_KEYS[type], type)))
    .join(', ');
}

function whenSent({ state }: Channel, signalled: boolean): string {
  if (state === 'paused') return 'They are sent when the channel is resumed.';
  return signalled ? 'They are sent now.' : 'Temporal does not answer: they go out with the next run.';
}
