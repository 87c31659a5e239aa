import type { VNode } from 'preact';
import { plain } from '../../../domain/masked';
import { formatInstant } from '../../../domain/instants';
import { type Resent, describeResent } from '../../../domain/count';
import type { Channel } from '../../../store/channels/channels';
import type { ResetRequest } from '../reset-request';
import { actionPath, pathOf } from '../door';
import { fieldId } from './form-problem';
import { PageLayout, Problem, type ChannelPageContext } from './page-layout';
import { FactList, Hidden, Reason } from './page-parts';

/** The effect of a reset, and the button that runs it. */
export function resetPage(props: {
  context: ChannelPageContext;
  channel: Channel;
  asked: ResetRequest;
  resent: Resent;
  error: string | undefined;
}): VNode {
  const { context, channel, asked, resent, error } = props;
  const { entityType, timestamp } = asked;
  const problem =
    error === undefined ? undefined : ({ form: 'reset', field: 'reason', message: error } as const);
  const back = pathOf(context.door, 'channel', channel._id);
  return (
    <PageLayout context={context} title={`Reset ${entityType} of ${plain(channel.name)}`} error={!!error}>
      {error && <Problem field={fieldId('reset', 'reason')} message={error} />}
      <h1>Reset a marker</h1>
      <p class="effect">
        {resent.records === 0 ? (
          <>Nothing that {plain(channel.name)} gets has changed since then: nothing would be resent.</>
        ) : (
          <>
            This would resend <b>{describeResent(entityType, resent)}</b> to {plain(channel.name)}.
          </>
        )}
      </p>
      <FactList
        facts={[
          ['Channel', channel._id],
          ['Changed at or after', formatInstant(timestamp)],
        ]}
      />
      {channel.state === 'paused' && resent.records !== 0 && (
        <p>The channel is paused: the records are sent when it is resumed.</p>
      )}
      {resent.records !== 0 && (
        <form method="post" action={actionPath(context.door, 'reset', channel._id)} class="narrow">
          <Hidden csrf={context.csrf} />
          <input type="hidden" name="entity_type" value={entityType} />
          <input type="hidden" name="timestamp" value={formatInstant(timestamp)} />
          <Reason action="reset" problem={problem} typed={new URLSearchParams()} />
          <button class="danger">Reset and resend</button>
        </form>
      )}
      <p>
        <a href={back}>Back, and change nothing</a>
      </p>
    </PageLayout>
  );
}
