import type { EntityType } from '../../domain/entity-types';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import type { Report } from './read-report';

interface TypeFigures {
  entity_type: EntityType;
  deliveries: number;
  failed: number;
  records: number;
  pending: number;
  confirmed_up_to: string | null;
}

/** A report in figures. */
export interface ReportFigures {
  channel: string;
  customer: string;
  state: 'active' | 'paused';
  from: Date;
  to: Date;
  deliveries: number;
  failed: number;
  records: number;
  pending: number;
  /** There is more: counting was cut off. */
  pending_at_least?: true;
  types: TypeFigures[];
}

export function figuresOf({ channel, from, to, deliveries, markers }: Report): ReportFigures {
  const types = markers.map(({ entity_type, pending_records, timestamp }) => {
    const own = deliveries.filter((delivery) => delivery.entity_type === entity_type);
    return {
      entity_type,
      deliveries: own.length,
      failed: own.filter(isFailed).length,
      records: sum(own.map(({ records }) => records)),
      pending: pending_records,
      confirmed_up_to: timestamp,
    };
  });
  return {
    channel: channel._id,
    customer: channel.name,
    state: channel.state,
    from,
    to,
    deliveries: deliveries.length,
    failed: deliveries.filter(isFailed).length,
    records: sum(types.map(({ records }) => records)),
    pending: sum(types.map(({ pending }) => pending)),
    ...(markers.some(({ pending_at_least }) => pending_at_least) ? { pending_at_least: true as const } : {}),
    types,
  };
}

export const isFailed = ({ status }: DeliveryDocument) => status === 'failed';

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
