import type { AddressInfo } from 'node:net';
import { channelKeys, openSecrets } from '../../store/channels/channels';
import { type Api } from '../api/start-api';
import type { FakeCustomer } from '../setup/fake-customer';
import { type Ended, runNode, startNode } from '../setup/processes';
import type { TestFeed } from '../workflows/test-feed';
import { ELSEWHERE } from './start-pushing';

export type Listening = Awaited<ReturnType<typeof startListening>>;

/** A customer's machine: a receiver, and `gdx listen` that knows nothing but the service's address, a key and a secret. */
export async function startListening(
  feed: TestFeed,
  api: Api,
  slug: string,
  receiver: Pick<FakeCustomer, 'baseUrl'>,
) {
  const { token: apiKey } = (await channelKeys.rotate(feed.store, slug, 0))!;
  const { signingSecrets } = await openSecrets(feed.store, await feed.channel(slug), new Date());
  const { port } = api.server.address() as AddressInfo;
  const ours = { ...ELSEWHERE, GDX_TOKEN: apiKey, GDX_SIGNING_SECRET: signingSecrets[0] };
  const argsOf = (args: string[]) => [
    ...['dist/cli/main.js', 'listen', slug, '--url', `http://127.0.0.1:${port}`],
    ...['--forward-to', receiver.baseUrl, ...args],
  ];
  const collecting = (folder: string, args: string[]) => [
    ...['dist/downloads/gdx.mjs', 'collect', slug, '--url', `http://127.0.0.1:${port}`],
    ...['--into', folder, ...args],
  ];
  return {
    collect: (folder: string, ...args: string[]): Promise<Ended> =>
      runNode(collecting(folder, args), { ...process.env, ...ours }),
    collectWith: (env: NodeJS.ProcessEnv, folder: string): Promise<Ended> =>
      runNode(collecting(folder, []), { ...process.env, ...ours, ...env }),
    startCollecting: (folder: string) => startNode(collecting(folder, []), { ...process.env, ...ours }),
    listen: (args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
      runNode(argsOf(args), { ...process.env, ...ours, ...env }),
    start: (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
      startNode(argsOf(args), { ...process.env, ...ours, ...env }),
  };
}
