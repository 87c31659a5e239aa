import { type Command, Option } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import {
  DELIVERY_STATUSES,
  type DeliveryDocument,
  type DeliveryStatus,
  findDeliveries,
} from '../../store/deliveries/deliveries';
import type { Envelope } from '../envelope';
import { MAX_LIMIT, parseLimit } from '../../client/parse-options';
import { channelNamed } from '../require-stored';

interface Options {
  entity?: EntityType;
  status?: DeliveryStatus;
  limit: number;
}

export function deliveriesCommands(deliveries: Command, { reads }: Envelope): void {
  reads(
    deliveries
      .argument('<channel>', 'its slug')
      .addOption(new Option('--entity <type>', 'only this entity type').choices(ENTITY_TYPES))
      .addOption(new Option('--status <status>', 'only these').choices(DELIVERY_STATUSES))
      .option('--limit <count>', `how many, at most ${MAX_LIMIT}`, parseLimit, 20),
    async (call, slug: string, { entity, status, limit }: Options) => {
      await channelNamed(call, slug);
      const found = await findDeliveries(await call.store(), slug, { entity_type: entity, status, limit });
      const none = 'No deliveries found: runs without changes send nothing and are not listed.';
      return { json: { data: found.map(shown) }, table: found.map(row), none };
    },
  );
}

const shown = (delivery: DeliveryDocument) => ({
  id: delivery._id,
  entity_type: delivery.entity_type,
  trigger: delivery.trigger,
  request_id: delivery.request_id ?? null,
  status: delivery.status,
  failure: delivery.failure,
  failure_message: delivery.failure_message,
  pages: delivery.pages,
  records: delivery.records,
  bytes: delivery.bytes,
  set_aside: delivery.set_aside ?? 0,
  failed_attempts: delivery.failed_attempts,
  started_at: delivery.started_at,
  ended_at: delivery.ended_at,
});

function row(delivery: DeliveryDocument) {
  const { started_at, ended_at, failed_attempts } = delivery;
  return {
    started_at,
    entity_type: delivery.entity_type,
    status: delivery.status,
    pages: delivery.pages,
    records: delivery.records,
    set_aside: delivery.set_aside ?? 0,
    seconds: ended_at && ((ended_at.getTime() - started_at.getTime()) / 1_000).toFixed(1),
    trigger: delivery.trigger,
    // For a running delivery, the latest response. Failed attempts of a delivered one are only in --json.
    error:
      delivery.status === 'delivered'
        ? undefined
        : (delivery.failure_message ?? failed_attempts.at(-1)?.reason),
    id: delivery._id,
  };
}
