import { count } from '../../domain/count';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import { drawTimeline } from './draw-timeline';
import { escape } from './escape';
import { type ReportFigures, isFailed } from './figures';
import type { Report } from './read-report';
import { STYLE } from './style';

const FAILURES_SHOWN = 50;
const EXCERPT = 300;

/** The report as one HTML page that needs nothing else: no script, no picture, no address. */
export function renderReport(report: Report, figures: ReportFigures): string {
  const { channel, from, to } = report;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(channel.name)}: deliveries</title><style>${STYLE}</style></head><body>
<h1>${escape(channel.name)}</h1>
<p>Channel ${escape(channel._id)}, ${day(from)} to ${day(to)}, times in UTC</p>
<p class="lead">${summary(figures)}</p>
${channel.paused ? `<p>Paused since ${minute(channel.paused.at)}: ${escape(channel.paused.reason)}.</p>` : ''}
<h2>When</h2>
${drawTimeline(report)}
<p>${key('delivered', 'delivered')}${key('failed', 'failed')}${key('running', 'under way')}${key('superseded', 'cut short and begun anew')}</p>
${report.cut ? '<p>There were more deliveries than fit here: the newest are shown.</p>' : ''}
<h2>What</h2>
${typesTable(figures)}
<h2>Failures</h2>
${failuresTable(report.deliveries.filter(isFailed))}
</body></html>
`;
}

function summary({ deliveries, failed, records, ...left }: ReportFigures): string {
  if (deliveries === 0) return `Nothing was sent: nothing has changed. ${waiting(left)}`;
  const went = failed === 0 ? 'none failed' : `${number(failed)} failed, to be tried again by the next`;
  return `${count(records, 'record')} confirmed in ${count(deliveries, 'delivery', 'deliveries')}; ${went}. ${waiting(left)}`;
}

function waiting({ pending, pending_at_least }: Pick<ReportFigures, 'pending' | 'pending_at_least'>): string {
  if (pending === 0 && !pending_at_least) return 'Nothing is waiting.';
  const counted = `${count(pending, 'record')} waiting to be sent.`;
  return pending_at_least ? `At least ${counted}` : counted;
}

function typesTable({ types }: ReportFigures): string {
  const titles = ['', 'Confirmed up to', 'Records', 'Deliveries', 'Failed', 'Waiting'];
  return table(
    titles,
    types.map((row) => [
      row.entity_type,
      row.confirmed_up_to ? minute(new Date(row.confirmed_up_to)) : 'nothing yet',
      ...[row.records, row.deliveries, row.failed, row.pending].map(number),
    ]),
  );
}

function failuresTable(failed: DeliveryDocument[]): string {
  if (failed.length === 0) return '<p>None.</p>';
  const shown = failed.slice(-FAILURES_SHOWN).reverse();
  const rows = shown.map((delivery) => [
    minute(delivery.started_at),
    delivery.entity_type,
    escape(delivery.failure_message ?? delivery.failure ?? ''),
    answer(delivery),
  ]);
  const more =
    failed.length > shown.length ? `<p>And ${number(failed.length - shown.length)} before these.</p>` : '';
  return `${table(['Began', '', 'Why', 'The customer’s last answer'], rows)}${more}`;
}

function answer({ failed_attempts }: DeliveryDocument): string {
  const last = failed_attempts.at(-1);
  if (!last) return '';
  const text = last.answer.length > EXCERPT ? `${last.answer.slice(0, EXCERPT)}…` : last.answer;
  return `${last.status ?? 'none'}${text ? `<pre>${escape(text)}</pre>` : ''}`;
}

/** Cells are HTML. */
function table(titles: string[], rows: string[][]): string {
  const numeric = (cell: string) => (/^[\d,]+$/.test(cell) ? ' class="number"' : '');
  const head = titles.map((title) => `<th scope="col">${title}</th>`).join('');
  const body = rows.map(
    (cells) => `<tr>${cells.map((cell) => `<td${numeric(cell)}>${cell}</td>`).join('')}</tr>`,
  );
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

const key = (kind: string, text: string) =>
  `<svg class="key" viewBox="0 0 8 8" aria-hidden="true"><rect class="${kind}" width="8" height="8"/></svg>${text}`;
const number = (value: number) => value.toLocaleString('en-US');
const day = (at: Date) => at.toISOString().slice(0, 10);
const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ');
