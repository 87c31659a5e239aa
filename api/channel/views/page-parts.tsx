import { randomUUID } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import type { DeliveryStatus } from '../../../store/deliveries/deliveries';
import type { HealthStatus } from '../../../domain/deliveries/condition';
import { fieldId, type FormProblem } from './form-problem';
import type { ChannelPageContext } from './page-layout';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time/spans';

/** An instant and its distance from now, with the full timestamp for machines and on hover. */
export function When(props: { at: Date | string | null | undefined; now: Date; none?: string }): VNode {
  const { at, now, none = '–' } = props;
  if (!at) return <span class={none === '–' ? 'soft none' : 'soft'}>{none}</span>;
  const date = new Date(at);
  const iso = date.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {sayInstant(date, now)} <small>{sayDistance(date.getTime() - now.getTime())}</small>
    </time>
  );
}

// Symbols beside the colours, since colour alone is not accessible.
const SIGNS: Record<HealthStatus | DeliveryStatus, string> = {
  failing: '✕',
  paused: '‖',
  stale: '!',
  healthy: '✓',
  closed: '■',
  failed: '✕',
  delivered: '✓',
  running: '…',
  superseded: '→',
  resized: '÷',
};

export function Badge({ of: word }: { of: HealthStatus | DeliveryStatus }): VNode {
  return (
    <span class={`badge ${word}`}>
      <span aria-hidden="true">{SIGNS[word]}</span> {word}
    </span>
  );
}

/** The fields of every action's form. The form's id makes a repeated post run once. */
export function Hidden({ csrf }: { csrf: string }): VNode {
  return (
    <>
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="form" value={randomUUID()} />
    </>
  );
}

export function Reason(props: {
  action: string;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
}): VNode {
  const { action, typed } = props;
  const own = props.problem?.form === action ? props.problem : undefined;
  const wrong = own?.field === 'reason' ? own : undefined;
  const id = fieldId(action, 'reason');
  return (
    <div class={wrong && 'bad'}>
      <label for={id}>Reason, for whoever looks next</label>
      {wrong && (
        <p class="error" id={`${id}-error`}>
          {wrong.message}
        </p>
      )}
      <input
        id={id}
        name="reason"
        type="text"
        required
        maxLength={200}
        autocomplete="off"
        value={own ? (typed.get('reason') ?? '') : ''}
        aria-describedby={wrong ? `${id}-error` : undefined}
        aria-invalid={wrong ? true : undefined}
      />
    </div>
  );
}

const UNITS = [
  ['y', 365 * DAY_MS],
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['s', 1_000],
] as const;

/** `23 s`, `7 min`, `3 h`, `2 d` or `10 y`: in the largest unit that gives at least two. */
export function sayLength(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? (['s', 1_000] as const);
  const count = ms / size;
  return `${unit === 's' && count < 10 ? Math.round(count * 10) / 10 : Math.floor(count)}\u00a0${unit}`;
}

const sayDistance = (ms: number) =>
  Math.abs(ms) < 1_000 ? 'now' : ms > 0 ? `in ${sayLength(ms)}` : `${sayLength(-ms)} ago`;

/** `13:22:10` today, `25 Nov 13:22` on another day; UTC. No line breaks within it. */
export function sayInstant(at: Date, now: Date): string {
  const iso = at.toISOString();
  if (iso.slice(0, 10) === now.toISOString().slice(0, 10)) return iso.slice(11, 19);
  const month = at.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  const year = at.getUTCFullYear() === now.getUTCFullYear() ? '' : ` ${at.getUTCFullYear()}`;
  return `${at.getUTCDate()} ${month}${year} ${iso.slice(11, 16)}`.replaceAll(' ', '\u00a0');
}

export interface Column<Row> {
  title: string;
  number?: boolean;
  cell(row: Row): ComponentChildren;
}

/** On narrow screens every row becomes a card: each cell names its column, and the roles keep the table semantics. */
export function Table<Row>(props: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  classOf?: (row: Row) => string;
}): VNode {
  const { caption, columns, rows, classOf } = props;
  return (
    <table role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, number }) => (
            <th role="columnheader" scope="col" key={title} class={number ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr role="row" key={index} class={classOf?.(row)}>
            {columns.map(({ title, number, cell }) => (
              <td role="cell" key={title} class={number ? 'number' : undefined} data-title={title}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A workflow's id, linked to the Temporal UI when its address is known. */
export function Workflow(props: {
  context: ChannelPageContext;
  id: string;
  runId?: string;
  text?: string;
}): VNode {
  const { context, id, runId, text } = props;
  const href = context.workflowLink?.(id, runId);
  if (!href) return <code>{id}</code>;
  return (
    <a href={href} class={text && 'keep'}>
      {text ?? id}
    </a>
  );
}

type Fact = [name: string, value: ComponentChildren];

/** What is known of something, by name. Entries that are false or empty are left out. */
export function FactList({ facts }: { facts: (Fact | '' | false | undefined)[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
