import { Option, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import {
  DELIVERY_STATUSES,
  type DeliveryDocument,
  type DeliveryStatus,
} from '../../store/deliveries/deliveries';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';
import { MAX_LIMIT, parseLimit } from '../parse-options';
import { channelNamed } from '../require-stored';

interface Options {
  entity?: EntityType;
  status?: DeliveryStatus;
  limit: number;
  json?: true;
}

export function deliveriesCommand(program: Command, connections: Connections): void {
  program
    .command('deliveries')
    .description('deliveries to a customer, newest first')
    .argument('<channel>', 'its slug')
    .addOption(new Option('--entity <type>', 'only this entity type').choices(ENTITY_TYPES))
    .addOption(new Option('--status <status>', 'only these').choices(DELIVERY_STATUSES))
    .option('--limit <count>', `how many, at most ${MAX_LIMIT}`, parseLimit, 20)
    .action(async (slug: string, { entity, status, limit, json }: Options) => {
      const { findDeliveries } = await import('../../store/deliveries/deliveries.js');
      const store = await connections.store();
      await channelNamed(connections, slug);
      const found = await findDeliveries(store, slug, { entity_type: entity, status, limit });
      if (json) return printJson({ data: found.map(shown) });
      if (found.length === 0)
        note('No deliveries found: runs without changes send nothing and are not listed.');
      printTable(found.map(row));
    });
}

function shown(delivery: DeliveryDocument) {
  const { _id: id, entity_type, trigger, status, failure, failure_message } = delivery;
  const { pages, records, bytes, failed_attempts, started_at, ended_at, request_id = null } = delivery;
  return {
    id,
    entity_type,
    trigger,
    request_id,
    status,
    failure,
    failure_message,
    pages,
    records,
    bytes,
    failed_attempts,
    started_at,
    ended_at,
  };
}

function row(delivery: DeliveryDocument) {
  const { started_at, ended_at, failed_attempts } = delivery;
  return {
    started_at,
    entity_type: delivery.entity_type,
    status: delivery.status,
    pages: delivery.pages,
    records: delivery.records,
    seconds: ended_at && ((ended_at.getTime() - started_at.getTime()) / 1_000).toFixed(1),
    trigger: delivery.trigger,
    // For a running delivery, the customer's latest response.
    error: delivery.failure_message ?? failed_attempts.at(-1)?.reason,
    id: delivery._id,
  };
}
