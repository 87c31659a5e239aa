import { randomUUID } from 'node:crypto';
import { reset } from '../../control/reset';
import type { EntityType } from '../../domain/records/entity-types';
import { type Channel, findChannel } from '../../store/channels/channels';
import { readMarkers } from '../../store/markers/markers';
import { moveMarkerBack } from '../../store/markers/reset-channel-marker';
import { readCeilings } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { waitUntil } from '../../tools/local/wait-until';
import { deliveryWorkflowId } from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import type { Bench } from './bench';
import { BenchCustomer } from './bench-customer';
import { type BenchWorker, startBenchWorker } from './start-bench-worker';

const LONG_MS = 600_000;

interface StageSettings {
  channels: number;
  pageSize: number;
  types: EntityType[];
  /** Where each channel posts to; without it, to the customer in this process. */
  baseUrlOf?: (number: number) => string;
}

/** Channels between a store and a customer in this process, with the real worker and Temporal between them. */
export class ResetStage {
  readonly channels: Channel[] = [];

  private constructor(
    private readonly store: Store,
    readonly worker: BenchWorker,
    readonly customer: BenchCustomer,
  ) {}

  static async open(
    bench: Bench,
    store: Store,
    { channels, pageSize, types, baseUrlOf }: StageSettings,
  ): Promise<ResetStage> {
    const customer = await BenchCustomer.start();
    const worker = await startBenchWorker(bench, store, `bench-${randomUUID().slice(0, 8)}`);
    const stage = new ResetStage(store, worker, customer);
    for (let number = 0; number < channels; number++) {
      const baseUrl = baseUrlOf?.(number) ?? stage.customer.baseUrl;
      const settings = { entity_types: types, page_size: pageSize };
      const { channel } = await addTestChannel(store, `bench-${number + 1}`, baseUrl, settings);
      stage.channels.push(channel);
    }
    await stage.drain();
    return stage;
  }

  /** Asks for a reset to the beginning, as the API does. */
  async reset(channel: Channel, entityType: EntityType): Promise<void> {
    const asker = { action_id: randomUUID(), by: 'bench', via: 'API', reason: null } as const;
    const parts = { store: this.store, temporal: this.worker.temporal };
    const request = { entity_type: entityType, timestamp: new Date('2016-01-01T00:00:00Z') };
    await reset.run(parts, channel, request, { ...asker, request_id: randomUUID() });
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

  /** Puts markers back to the beginning, and asks for nothing. */
  async rewind(channels = this.channels): Promise<void> {
    for (const { _id, entity_types } of channels)
      for (const type of entity_types)
        await moveMarkerBack(this.store, _id, type, { timestamp: new Date(0), floor: 0 });
  }

  /** Lets channels, or else all of them, deliver until nothing is left. */
  async drain(channels = this.channels): Promise<void> {
    await Promise.all(channels.map((channel) => this.deliverNow(channel)));
    const ceilings = await readCeilings(this.store);
    await waitUntil(async () => {
      for (const { _id, entity_types } of channels) {
        const markers = await readMarkers(this.store, _id);
        for (const type of entity_types)
          if ((markers.get(type)?.position ?? -1) < ceilings[type])
            throw new Error(`${_id} has not delivered its ${type}`);
      }
    }, LONG_MS);
  }

  async deliverNow({ _id }: Channel): Promise<void> {
    await waitUntil(async () => {
      const signalled = await this.worker.temporal.deliverNow(_id, { request_id: randomUUID() });
      if (!signalled) throw new Error('Temporal does not take a signal'); // a new namespace is not known at once
    }, LONG_MS);
  }

  /** Waits until the channel's last delivery of a type is over, its report included. */
  async lastDelivery({ _id }: Channel, type: EntityType): Promise<void> {
    const { run } = (await findChannel(this.store, _id))!;
    await this.worker.client.workflow.getHandle(deliveryWorkflowId(_id, type, run)).result();
  }
}
