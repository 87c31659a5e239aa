import type { VNode } from 'preact';
import { atLeast, count } from '../../../domain/records/count';
import { sayConfirmed, sayWaiting } from '../../../domain/deliveries/lateness';
import { plain } from '../../../domain/text/masked';
import { channelWorkflowId } from '../../../workflows/messages';
import { type ChannelView, sumOf } from '../channel-view';
import type { ChannelPageContext } from './page-layout';
import { FactList, When, Workflow } from './page-parts';

/** What the parts of a channel's page are given. */
export interface Shown {
  context: ChannelPageContext;
  view: ChannelView;
}

/** The channel's open problems, in the words of the alerts. */
export function Problems({ context, view }: Shown): VNode | null {
  const { channel, alerts, health } = view;
  const { paused, closed } = channel;
  if (!paused && !closed && alerts.length === 0 && health.health === 'healthy') return null;
  return (
    <ul class="problems">
      {paused && (
        <li>
          Paused <When at={paused.at} now={context.now} />: {plain(paused.reason)}
        </li>
      )}
      {closed && (
        <li>
          Closed <When at={closed.at} now={context.now} />: {plain(closed.reason)}. It does not open again.
        </li>
      )}
      {alerts.map(({ _id, opened_at, class: kind, message, subjects }) => (
        <li key={_id}>
          <b>{kind}</b> {subjects.length > 0 && `(${subjects.join(', ')}) `}
          since <When at={opened_at} now={context.now} />: {plain(message)}
        </li>
      ))}
      {alerts.length === 0 && health.health === 'failing' && (
        <li>
          {channel.failing?.failure} since <When at={health.since} now={context.now} />: its deliveries say
          why
        </li>
      )}
      {alerts.length === 0 && health.health === 'stale' && (
        <li>
          Nothing was confirmed, and no run was empty, since <When at={health.since} now={context.now} />:
          {context.workflowLink && ' does the worker run?'}
        </li>
      )}
    </ul>
  );
}

/** The channel's progress and its next run. */
export function Facts({ context, view }: Shown): VNode {
  const { pending, waitingSince } = sumOf(
    view.markers.map(({ pending_records: records, since }) => ({ records, since })),
  );
  const isCut = view.markers.some(({ pending_at_least }) => pending_at_least);
  const late = sayWaiting(view.howLate, context.now);
  return (
    <FactList
      facts={[
        ['Last confirmed page', <When at={view.deliveredAt} now={context.now} none="none yet" />],
        [
          'Not confirmed yet',
          <>
            {atLeast(count(pending, 'record'), isCut)}
            {waitingSince && (
              <>
                , the oldest from <When at={waitingSince} now={context.now} />
              </>
            )}
          </>,
        ],
        [
          'On time on our side',
          <>
            {late && <b>{late}; </b>}
            {sayConfirmed(view.channel, view.howLate)}
          </>,
        ],
        ['Next due', <When at={view.due} now={context.now} none="when it is resumed" />],
        view.toDelete > 0 && [
          'To delete',
          <>
            {count(view.toDelete, 'account')} that nobody shares any more:{' '}
            <code>{`GET /api/v1/channels/${view.channel._id}/subscriptions?ended=true`}</code> lists them
          </>,
        ],
        context.workflowLink && [
          'In the Temporal UI',
          <Workflow context={context} id={channelWorkflowId(view.channel._id)} />,
        ],
      ]}
    />
  );
}
