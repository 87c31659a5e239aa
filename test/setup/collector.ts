import { setTimeout } from 'node:timers/promises';
import { nextPage } from '../../api/customer/next-page';
import { HttpError } from '../../api/http/http-error';
import { createByteBudget } from '../../api/limits/byte-budget';
import { forwardPage } from '../../client/listen/forward-page';
import type { EntityType } from '../../domain/records/entity-types';
import { findChannel } from '../../store/channels/channels';
import { confirmWaitingPage } from '../../store/markers/confirm-waiting-page';
import type { Store } from '../../store/store';
import { type Around, type Call, rewire } from '../commit-order/rewire';
import type { FakeCustomer } from './fake-customer';

/** How long a run waits for a customer who does not ask, where it has a `Collector`. */
export const ASK_TIMEOUT_MS = 150;
// Longer, so that the run ends where the receiver has not taken a page.
const AWAY_MS = 2 * ASK_TIMEOUT_MS;
const PAUSED_MS = 20;

/**
 * What a run does again and again while it waits for a customer who collects, and what an API tells the others of its turn at the
 * counter: nobody waits for that, and nothing depends on it.
 */
export const needsNoTurn = ({ collection }: Call) => ['waiting_pages', 'push_queues'].includes(collection);

class Stopped extends Error {}

/**
 * A customer who collects its pages, as `gdx listen` does: takes each by the API's own steps, hands it to the receiver
 * and confirms what that has answered 2xx. After any other answer it is away for a while.
 */
export class Collector {
  private stopped = false;
  private collecting: Promise<void>[] = [];

  constructor(
    private readonly store: Store,
    private readonly slug: string,
    private readonly receiver: FakeCustomer,
  ) {}

  /** @param sees the calls made to the store for one entity type */
  start(types: readonly EntityType[], sees: (type: EntityType) => Around = () => (call) => call.run()): void {
    this.collecting = types.map((type) => this.collect(type, rewire(this.store, sees(type))));
  }

  /** @throws what ended it before */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.collecting);
  }

  private async collect(type: EntityType, seen: Store): Promise<void> {
    const store = rewire(seen, ({ run }) => {
      if (this.stopped) throw new Stopped();
      return run();
    });
    while (!this.stopped) await this.collectOne(type, store).catch(ignoreExpected);
  }

  private async collectOne(entityType: EntityType, store: Store): Promise<void> {
    const channel = await findChannel(store, this.slug);
    if (channel?.state !== 'active') return setTimeout(PAUSED_MS);
    const parts = { store, temporal: { pageAskedFor: async () => true } };
    const asked = {
      channel: this.slug,
      entityType,
      requestId: 'test',
      lease: createByteBudget(Infinity).lease(''),
    };
    const page = await nextPage(parts, asked);
    if (!page) return;
    const id = page.headers['webhook-id']!;
    const target = { url: this.receiver.baseUrl, authorization: undefined };
    const { isConfirmed } = await forwardPage(target, {
      id,
      entityType,
      headers: page.headers,
      body: Buffer.from(page.body),
    });
    if (!isConfirmed) return setTimeout(AWAY_MS);
    await confirmWaitingPage(store, this.slug, id);
  }
}

/** Nobody has come to the question in time, or the case is over. */
function ignoreExpected(error: unknown): void {
  if (error instanceof Stopped || (error instanceof HttpError && error.code === 'UNAVAILABLE')) return;
  throw error;
}
