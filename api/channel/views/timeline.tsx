import type { VNode } from 'preact';
import { count } from '../../../domain/records/count';
import { plain } from '../../../domain/text/masked';
import type { DeliverySpan, DeliveryStatus } from '../../../store/deliveries/deliveries';
import { TIMELINE_MS, type TimelineRow, type TimelineBar } from '../timeline';
import { sayInstant, sayLength } from './page-parts';

// Statuses differ in height and outline, and failures have a cross, since colour alone is not accessible.
const BOXES: Record<DeliveryStatus, { y: number; height: number }> = {
  delivered: { y: 9, height: 14 },
  failed: { y: 5, height: 22 },
  running: { y: 9, height: 14 },
  superseded: { y: 14, height: 4 },
  resized: { y: 14, height: 4 },
};
const LEGEND = ['delivered', 'failed', 'running', 'superseded', 'resized'] as const;
const HOURS = [24, 18, 12, 6, 0];

/** Deliveries of the last 24 hours, one row per entity type. The list of deliveries has the same as text. */
export function Timeline({ rows, now }: { rows: TimelineRow[]; now: Date }): VNode {
  return (
    <div class="timeline">
      {rows.map((row) => (
        <div class="timeline-row" key={row.entity_type}>
          <p>
            <b>{row.entity_type}</b> <small>{countsOf(row)}</small>
          </p>
          <svg role="img" aria-label={`${row.entity_type}: ${countsOf(row)} in the last 24 hours`}>
            <rect class="ground" y="15.5" width="100%" height="1" />
            {HOURS.slice(1, -1).map((hour) => (
              <rect class="ground" key={hour} x={`${100 - (100 * hour) / 24}%`} width="1" height="32" />
            ))}
            {row.bars.map((bar) => (
              <Shape key={bar.delivery._id} bar={bar} now={now} />
            ))}
          </svg>
        </div>
      ))}
      <div class="timeline-row axis">
        <p />
        <p>
          {HOURS.map((hour) => (
            <span key={hour}>{hour === 0 ? 'now' : hourAt(now, hour)}</span>
          ))}
        </p>
      </div>
      <ul class="legend">
        {LEGEND.map((status) => (
          <li key={status}>
            <svg aria-hidden="true">
              <Figure status={status} x="20%" width="60%" />
            </svg>{' '}
            {status}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Shape({ bar, now }: { bar: TimelineBar; now: Date }): VNode {
  const { delivery, from, width } = bar;
  return (
    <g>
      <title>{titleOf(delivery, now)}</title>
      <Figure status={delivery.status} x={`${from}%`} width={`${width}%`} />
    </g>
  );
}

function Figure({ status, x, width }: { status: DeliveryStatus; x: string; width: string }): VNode {
  return (
    <>
      <rect class={status} x={x} width={width} {...BOXES[status]} />
      {status === 'failed' && (
        <svg x={x} overflow="visible">
          <path class="cross" d="M-3.5 12.5l7 7m0-7l-7 7" />
        </svg>
      )}
    </>
  );
}

function titleOf(delivery: DeliverySpan, now: Date): string {
  const { status, entity_type, catch_up, started_at, ended_at, records, pages, failure_message } = delivery;
  const took = sayLength((ended_at ?? now).getTime() - started_at.getTime());
  const sent = `${count(records, 'record')}, ${count(pages, 'page')}, ${took}`;
  const what = `${sayInstant(started_at, now)} ${entity_type}${catch_up ? ' catch-up' : ''}`;
  return `${what} ${status}: ${sent}${failure_message ? `. ${plain(failure_message)}` : ''}`;
}

const countsOf = ({ counts }: TimelineRow) =>
  counts.map(({ status, count }) => `${count} ${status}`).join(', ') || 'nothing sent';

const hourAt = (now: Date, hoursAgo: number) =>
  new Date(now.getTime() - (TIMELINE_MS * hoursAgo) / 24).toISOString().slice(11, 16);
