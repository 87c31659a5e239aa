import { randomUUID } from 'node:crypto';
import { reset } from '../../control/reset';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { addChannel, type Channel } from '../../store/feed/channels';
import { readMarkers } from '../../store/feed/markers';
import { readCeiling } from '../../store/push/counters';
import type { Store } from '../../store/store';
import { waitUntil } from '../../tools/local/wait-until';
import type { Bench } from './bench';
import { BenchCustomer } from './bench-customer';
import { type BenchWorker, startBenchWorker } from './start-bench-worker';

const LONG_MS = 600_000;

/** Channels between a store and a customer in this process, with the real worker and Temporal between them. */
export class ResetStage {
  readonly channels: Channel[] = [];

  private constructor(
    private readonly store: Store,
    private readonly worker: BenchWorker,
    readonly customer: BenchCustomer,
  ) {}

  static async open(
    bench: Bench,
    store: Store,
    { channels, pageSize, types }: { channels: number; pageSize: number; types: EntityType[] },
  ): Promise<ResetStage> {
    const worker = await startBenchWorker(bench, store, `bench-${randomUUID().slice(0, 8)}`);
    const stage = new ResetStage(store, worker, await BenchCustomer.start());
    for (let number = 1; number <= channels; number++) {
      const { channel } = await addChannel(store, `bench-${number}`, {
        name: 'Acme Crop Insurance',
        base_url: stage.customer.baseUrl,
        scope: 'all',
        entity_types: types,
        companies: [],
        cadence_ms: 3_600_000,
        page_size: pageSize,
        callback_origins: [],
      });
      stage.channels.push(channel);
    }
    await stage.drain();
    return stage;
  }

  /** Asks for a reset to the beginning, as the API does. */
  async reset(channel: Channel, entityType: EntityType): Promise<void> {
    const asker = { action_id: randomUUID(), by: 'bench', via: 'API', reason: null } as const;
    const parts = { store: this.store, temporal: this.worker.temporal };
    const request = { entityType, timestamp: new Date('2016-01-01T00:00:00Z') };
    await reset(parts, channel, request, { ...asker, request_id: randomUUID() });
  }

  /** @returns milliseconds to the answer, and to the first page at the customer */
  async timeReset(
    channel: Channel,
    entityType: EntityType,
  ): Promise<{ answered: number; firstPage: number }> {
    const began = performance.now();
    const page = this.customer.nextPage(channel._id, entityType).then(() => performance.now() - began);
    await this.reset(channel, entityType);
    const answered = performance.now() - began;
    return { answered, firstPage: await page };
  }

  /** Lets every channel deliver until nothing is left. */
  async drain(): Promise<void> {
    for (const { _id } of this.channels) {
      await waitUntil(async () => {
        const signalled = await this.worker.temporal.deliverNow(_id, { request_id: randomUUID() });
        if (!signalled) throw new Error('Temporal does not take a signal'); // a new namespace is not known at once
      }, LONG_MS);
    }
    const ceilings = new Map<EntityType, number>();
    for (const type of ENTITY_TYPES) ceilings.set(type, await readCeiling(this.store, type));
    await waitUntil(async () => {
      for (const { _id, entity_types } of this.channels) {
        const markers = await readMarkers(this.store, _id);
        for (const type of entity_types)
          if ((markers.get(type)?.position ?? -1) < ceilings.get(type)!)
            throw new Error(`${_id} has not delivered its ${type}`);
      }
    }, LONG_MS);
  }

  async close(): Promise<void> {
    await this.worker.stop();
    await this.customer.stop();
  }
}
