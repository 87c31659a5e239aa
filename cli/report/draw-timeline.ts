import { ENTITY_TYPES } from '../../domain/entity-types';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import { escape } from './escape';
import type { Report } from './read-report';

const WIDTH = 960;
const LEFT = 110;
const ROW = 56;
const TOP = 12;
const BAR = 40;
const TICKS = 7;
const NARROWEST = 3;

/** Each entity type a row, each delivery a bar: how tall by its records, red when it failed. Inline SVG. */
export function drawTimeline({ channel, from, to, deliveries }: Report): string {
  const types = ENTITY_TYPES.filter((type) => channel.entity_types.includes(type));
  const height = TOP + types.length * ROW + 24;
  const x = (at: Date) =>
    LEFT + ((at.getTime() - from.getTime()) / (to.getTime() - from.getTime())) * (WIDTH - LEFT);
  const most = Math.max(1, ...deliveries.map(({ records }) => records));
  const rows = types.map((type, index) => {
    const foot = TOP + index * ROW + BAR;
    const own = deliveries.filter(({ entity_type }) => entity_type === type);
    const bars = own.map((delivery) => bar(delivery, { x, to, foot, most })).join('');
    return `<text x="0" y="${foot - 12}">${type}</text><line x1="${LEFT}" x2="${WIDTH}" y1="${foot}" y2="${foot}"/>${bars}`;
  });
  const label = `${deliveries.length} deliveries to ${channel.name}, by entity type and time`;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(label)}">${rows.join('')}${ticks(from, to, x, height)}</svg>`;
}

interface Scale {
  x: (at: Date) => number;
  to: Date;
  foot: number;
  most: number;
}

function bar(delivery: DeliveryDocument, { x, to, foot, most }: Scale): string {
  const { started_at, ended_at, status, records, entity_type } = delivery;
  const left = Math.min(x(started_at), WIDTH - NARROWEST);
  const width = Math.max(NARROWEST, x(ended_at ?? to) - left);
  // By the logarithm: one changed ticket is seen beside a reset of a hundred thousand.
  const height =
    status === 'failed' && records === 0 ? BAR / 3 : 6 + (BAR - 6) * (Math.log1p(records) / Math.log1p(most));
  const told = `${entity_type}, ${started_at.toISOString()}: ${status}, ${records.toLocaleString('en-US')} records`;
  const place = `x="${left.toFixed(1)}" y="${(foot - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"`;
  return `<rect class="${status}" ${place}><title>${escape(told)}</title></rect>`;
}

function ticks(from: Date, to: Date, x: Scale['x'], height: number): string {
  const each = (to.getTime() - from.getTime()) / TICKS;
  return Array.from({ length: TICKS }, (_, index) => {
    const at = new Date(from.getTime() + index * each);
    const text = at.toISOString().slice(5, 16).replace('T', ' ');
    return `<text class="tick" x="${x(at).toFixed(1)}" y="${height - 6}">${text}</text>`;
  }).join('');
}
