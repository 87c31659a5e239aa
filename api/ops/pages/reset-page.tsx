import type { VNode } from 'preact';
import { count } from '../../../domain/count';
import { plain } from '../../../domain/masked';
import { WRAPPER_KEYS, type EntityType } from '../../../domain/entity-types';
import { formatInstant } from '../../../domain/instants';
import type { Channel } from '../../../store/channels';
import type { ResetRequest } from '../../markers/reset-request';
import { pathOf } from '../paths';
import { fieldId } from './form-problem';
import { OpsLayout, Problem, type OpsFrame } from './ops-layout';
import { Hidden, Reason } from './reason';

interface Resent {
  records: number;
  pages: number;
}

/** "12,304 tickets, about 13 pages" */
export const effectOf = (type: EntityType, { records, pages }: Resent) =>
  `${count(records, WRAPPER_KEYS[type], type)}, about ${count(pages, 'page')}`;

/** What a reset would do, and the button that does it. */
export function resetPage(props: {
  frame: OpsFrame;
  channel: Channel;
  asked: ResetRequest;
  resent: Resent;
  error: string | undefined;
}): VNode {
  const { frame, channel, asked, resent, error } = props;
  const { entityType, timestamp } = asked;
  const problem =
    error === undefined ? undefined : ({ form: 'reset', field: 'reason', message: error } as const);
  const back = pathOf('channel', channel._id);
  return (
    <OpsLayout frame={frame} title={`Reset ${entityType} of ${plain(channel.name)}`} error={!!error}>
      {error && <Problem field={fieldId('reset', 'reason')} message={error} />}
      <h1>Reset a marker</h1>
      <p class="effect">
        {resent.records === 0 ? (
          <>Nothing that {plain(channel.name)} gets has changed since then: nothing would be resent.</>
        ) : (
          <>
            This would resend <b>{effectOf(entityType, resent)}</b> to {plain(channel.name)}.
          </>
        )}
      </p>
      <dl class="facts">
        <div>
          <dt>Channel</dt>
          <dd>{channel._id}</dd>
        </div>
        <div>
          <dt>Changed at or after</dt>
          <dd>{formatInstant(timestamp)}</dd>
        </div>
      </dl>
      {channel.state === 'paused' && <p>The channel is paused: they are sent when it is resumed.</p>}
      {resent.records > 0 && (
        <form method="post" action={pathOf('reset', channel._id)} class="narrow">
          <Hidden csrf={frame.csrf} />
          <input type="hidden" name="entity_type" value={entityType} />
          <input type="hidden" name="timestamp" value={formatInstant(timestamp)} />
          <Reason verb="reset" problem={problem} typed={new URLSearchParams()} />
          <button class="danger">Reset and resend</button>
        </form>
      )}
      <p>
        <a href={back}>Back, and change nothing</a>
      </p>
    </OpsLayout>
  );
}
