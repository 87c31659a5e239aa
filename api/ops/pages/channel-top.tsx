import type { VNode } from 'preact';
import { count } from '../../../domain/count';
import { plain } from '../../../domain/masked';
import { channelWorkflowId } from '../../../workflows/messages';
import { sumOf } from '../channel-rows';
import type { ChannelView } from '../channel-view';
import type { OpsFrame } from './ops-layout';
import { When } from './when';
import { Workflow } from './workflow';

interface Shown {
  frame: OpsFrame;
  view: ChannelView;
}

/** What somebody has to look at, in the words that the alert was sent with. */
export function Trouble({ frame, view }: Shown): VNode | null {
  const { channel, alerts, health } = view;
  const { paused } = channel;
  if (!paused && alerts.length === 0 && health.health === 'healthy') return null;
  return (
    <ul class="trouble">
      {paused && (
        <li>
          Paused <When at={paused.at} now={frame.now} />: {plain(paused.reason)}
        </li>
      )}
      {alerts.map(({ _id, opened_at, class: kind, message, subjects }) => (
        <li key={_id}>
          <b>{kind}</b> {subjects.length > 0 && `(${subjects.join(', ')}) `}
          since <When at={opened_at} now={frame.now} />: {plain(message)}
        </li>
      ))}
      {alerts.length === 0 && health.health === 'failing' && (
        <li>
          {channel.failing?.failure} since <When at={health.since} now={frame.now} />: its deliveries say why
        </li>
      )}
      {alerts.length === 0 && health.health === 'stale' && (
        <li>
          Nothing was confirmed, and no run was empty, since <When at={health.since} now={frame.now} />: does
          the worker run?
        </li>
      )}
    </ul>
  );
}

/** How far the customer is, and when it goes on. */
export function Facts({ frame, view }: Shown): VNode {
  const { pending, waitingSince } = sumOf(
    view.markers.map(({ entity_type, pending_records: records, since }) => {
      return { channel: view.channel._id, entity_type, records, since };
    }),
  );
  return (
    <dl class="facts">
      <div>
        <dt>Last confirmed page</dt>
        <dd>
          <When at={view.deliveredAt} now={frame.now} none="none yet" />
        </dd>
      </div>
      <div>
        <dt>Not confirmed yet</dt>
        <dd>
          {count(pending, 'record')}
          {waitingSince && (
            <>
              , the oldest from <When at={waitingSince} now={frame.now} />
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Next due</dt>
        <dd>
          <When at={view.due} now={frame.now} none="when it is resumed" />
        </dd>
      </div>
      <div>
        <dt>In the Temporal UI</dt>
        <dd>
          <Workflow frame={frame} id={channelWorkflowId(view.channel._id)} />
        </dd>
      </div>
    </dl>
  );
}
