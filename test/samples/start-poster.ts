import { randomUUID } from 'node:crypto';
import { sendPage } from '../../outbound/send-page';
import { renderPage } from '../../domain/deliveries/render-page';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { type Channel, openSecrets } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { loopbackAgent } from '../setup/loopback-agent';

const COMPANY = { id: '42', name: 'Prairie Co-op “Süd”' };

export interface PostedAccount {
  id: string;
  name: string;
  at: Date;
}

export type Poster = Awaited<ReturnType<typeof startPoster>>;

/** A channel to a customer, and pages that take the way of every page. */
export async function startPoster(store: Store, slug: string, baseUrl: string) {
  const { channel, signingSecret, publicKey } = await addTestChannel(store, slug, baseUrl);
  const agent = loopbackAgent();
  return {
    channel,
    signingSecret,
    publicKey,
    async post(accounts: PostedAccount[], changes: Partial<Channel> & { test?: true } = {}) {
      const { test, ...settings } = changes;
      const origin = {
        delivery: 'delivery/acme/accounts/1',
        entityType: 'accounts' as const,
        generation: 0,
        epoch: 1,
      };
      const { signal } = new AbortController();
      const changed = { ...channel, ...settings };
      return sendPage(
        { agent, signal, mayRepeat: async () => true },
        { ...changed, ...(await openSecrets(store, { ...changed, base_url: channel.base_url }, new Date())) },
        pageOf(accounts),
        {
          ...origin,
          requestId: randomUUID(),
          account: undefined,
          ...(test && { test }),
        },
      );
    },
  };
}

function pageOf(accounts: PostedAccount[]): Buffer {
  const wires = accounts.map(({ id, name, at }) =>
    finishWire(renderRecord('accounts', { id, name }, COMPANY), at, at),
  );
  const count = wires.length;
  const sizes = { page_count: count, page_size: 1000, total_count: count, total_pages: 1 };
  return renderPage(wires, { current_page: 1, ...sizes });
}
