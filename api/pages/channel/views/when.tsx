import type { VNode } from 'preact';
import { sayDistance, sayInstant } from './say-time';

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
