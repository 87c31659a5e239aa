import { nextPage } from '../../api/customer/next-page';
import { HttpError } from '../../api/http/http-error';
import { createByteBudget } from '../../api/limits/byte-budget';
import { forwardPage } from '../../client/listen/forward-page';
import type { Channel } from '../../store/channels/channels';
import { confirmWaitingPage } from '../../store/markers/confirm-waiting-page';
import { markerId, readMarkers, takeEpoch } from '../../store/markers/markers';
import { askForPage } from '../../store/markers/waiting-pages';
import { type Scene, withScene } from '../commit-order/scene';
import { SLUG } from '../setup/stand';

const TYPE = 'tickets';

/** A scene whose customer collects its pages, step by step. */
export const withPullScene = (use: (scene: PullScene) => Promise<void>): Promise<void> =>
  withScene(10, async (scene) => {
    await scene.store.db
      .collection<Channel>('channels')
      .updateOne({ _id: SLUG }, { $set: { delivery: 'pull' } });
    await use(pullSceneOf(scene));
  });

function pullSceneOf(scene: Scene) {
  const { store, customer } = scene;
  return {
    ...scene,
    /** A page is laid out for a question. */
    async lay(ids: string[], through = store): Promise<void> {
      if (ids.length > 0) await scene.push(...ids);
      await askForPage(store, SLUG, TYPE);
      await scene.run(through);
    },
    /** An attempt that gets no further. */
    async overtake(): Promise<void> {
      const { generation } = (await readMarkers(store, SLUG)).get(TYPE)!;
      await takeEpoch(store, markerId(SLUG, TYPE), generation);
    },
    /** @returns the id of the page that is given out; undefined where none is */
    async collect(through = store): Promise<string | undefined> {
      const lease = createByteBudget(Infinity).lease('');
      const question = { channel: SLUG, entityType: TYPE, requestId: 'test', lease } as const;
      // Temporal is away: a page that does not wait already is not waited for.
      const parts = { store: through, temporal: { pageAskedFor: async () => false } };
      const page = await nextPage(parts, question).catch((error: unknown) => {
        if (error instanceof HttpError && error.code === 'UNAVAILABLE') return null;
        throw error;
      });
      if (!page) return undefined;
      const id = page.headers['webhook-id']!;
      const collected = {
        id,
        entityType: TYPE,
        headers: page.headers,
        body: Buffer.from(page.body),
      } as const;
      await forwardPage({ url: customer.baseUrl, authorization: undefined }, collected);
      return id;
    },
    async confirm(page: string | undefined, through = store): Promise<void> {
      await confirmWaitingPage(through, SLUG, page!);
    },
  };
}

export type PullScene = ReturnType<typeof pullSceneOf>;
