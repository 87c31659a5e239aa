import { InvalidArgumentError, Option, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../../store/deliveries';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import { requireChannel } from '../require-channel';

const LIMIT = { default: 20, max: 200 };

interface Options {
  entity?: EntityType;
  status?: DeliveryStatus;
  limit: number;
  json?: true;
}

export function deliveries(program: Command, connections: Connections): void {
  program
    .command('deliveries')
    .description('what was delivered to a customer, newest first')
    .argument('<channel>', 'its slug')
    .addOption(new Option('--entity <type>', 'only this entity type').choices(ENTITY_TYPES))
    .addOption(new Option('--status <status>', 'only these').choices(DELIVERY_STATUSES))
    .option('--limit <count>', `how many, at most ${LIMIT.max}`, parseLimit, LIMIT.default)
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { entity, status, limit, json }: Options) => {
      const { findChannel } = await import('../../store/channels.js');
      const { listDeliveries } = await import('../../store/deliveries.js');
      const store = await connections.store();
      requireChannel(await findChannel(store, slug), slug);
      const found = await listDeliveries(store, slug, { entity_type: entity, status, limit });
      if (json) return printJson({ data: found.map(shown) });
      if (found.length === 0)
        note('No such delivery: nothing is sent, and nothing listed, when nothing has changed.');
      printTable(found.map(row));
    });
}

function shown(delivery: Delivery) {
  const { _id: id, entity_type, trigger, status, failure, failure_message } = delivery;
  const { pages, records, bytes, failed_attempts, started_at, ended_at } = delivery;
  return {
    ...{ id, entity_type, trigger, status, failure, failure_message },
    ...{ pages, records, bytes, failed_attempts, started_at, ended_at },
  };
}

function row(delivery: Delivery) {
  const { started_at, ended_at, failed_attempts } = delivery;
  return {
    started_at,
    entity_type: delivery.entity_type,
    status: delivery.status,
    pages: delivery.pages,
    records: delivery.records,
    seconds: ended_at && ((ended_at.getTime() - started_at.getTime()) / 1_000).toFixed(1),
    trigger: delivery.trigger,
    // Of one under way, what its customer answered last.
    trouble: delivery.failure_message ?? failed_attempts.at(-1)?.reason,
    id: delivery._id,
  };
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (limit >= 1 && limit <= LIMIT.max) return limit;
  throw new InvalidArgumentError(`Use 1 to ${LIMIT.max}.`);
}
