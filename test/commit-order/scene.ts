import type { Store } from '../../store/store';
import { closingAfter } from '../setup/close-at-end';
import { pushRecords } from '../setup/push-records';
import { stand } from '../setup/stand';

/** A stand whose channel is of tickets. */
async function openScene(page_size: number) {
  const scene = await stand({ customer: 'confirms', channel: { page_size, entity_types: ['tickets'] } });
  return { ...scene, push: (...ids: string[]) => pushTickets(scene.store, ids) };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene and closes it again. */
export const withScene = <T>(pageSize: number, use: (scene: Scene) => Promise<T>): Promise<T> =>
  closingAfter(async () => use(await openScene(pageSize)));

let version = 0;

/** Every call makes new versions, so that a known id is a change. */
export function pushTickets(store: Store, ids: string[]) {
  const note = `v${++version}`;
  return pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001', note })) });
}
