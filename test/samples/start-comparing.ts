import path from 'node:path';
import { channelKeys, openSecrets } from '../../store/channels/channels';
import { temporaryFolder } from '../setup/temporary-folder';
import { TestFeed } from '../workflows/test-feed';
import { runCompare } from './run-compare';
import { startReceiver } from './start-receiver';
import { stand } from '../setup/stand';

/** The whole service, and a customer who runs receiver.mjs and compare.mjs. */
export async function startComparing() {
  const { feed, api } = await stand({ feed: {}, api: {} });
  const folder = temporaryFolder('compare');
  return {
    feed,
    api,
    /** A channel with a file of its own. */
    async customer(slug: string, settings: Parameters<TestFeed['addChannel']>[1] = {}) {
      const poster = await feed.addChannel(slug, settings);
      const { signingSecrets } = await openSecrets(feed.store, await feed.channel(slug), new Date());
      const HELD = path.join(folder, `${slug}.json`);
      const GDX_TOKEN = (await channelKeys.rotate(feed.store, slug, 0))!.token;
      const env = { GDX_TOKEN, GDX_URL: `http://127.0.0.1:${api.port}/`, HELD };
      return {
        held: HELD,
        /** What is posted, until a receiver is started. */
        poster,
        compare: (...args: string[]) => runCompare(env, slug, 'tickets', ...args),
        async receive() {
          const receiver = await startReceiver(signingSecrets[0]!, HELD);
          await feed.changeChannel(slug, { base_url: receiver.url });
          return receiver;
        },
      };
    },
  };
}
