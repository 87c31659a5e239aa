import type { VNode } from 'preact';
import { masked, plain } from '../../../domain/text/masked';
import type { Channel } from '../../../store/channels/channels';
import { pathOf } from '../door';
import type { TraceAsked } from '../trace-of';
import type { ChannelPageContext } from './page-layout';
import { FactList, When } from './page-parts';

interface Traced {
  context: ChannelPageContext;
  channel: Channel;
  asked: TraceAsked | undefined;
}

/** Asks for one record by its id, and says where it is. */
export function Traced({ context, channel, asked }: Traced): VNode {
  return (
    <>
      <form class="filters" method="get" action={`${pathOf(context.door, 'channel', channel._id)}#record`}>
        <span>
          <label for="trace">Entity type</label>
          <select id="trace" name="trace">
            {channel.entity_types.map((type) => (
              <option key={type} selected={type === asked?.type}>
                {type}
              </option>
            ))}
          </select>
        </span>
        <span>
          <label for="record">
            Id, as in the feed:{' '}
            {channel.companies.length === 1 ? `${channel.companies[0]}-T-17, or T-17` : '42-T-17'}
          </label>
          <input
            id="record"
            name="record"
            value={asked?.id ?? ''}
            maxlength={193}
            autocomplete="off"
            required
          />
        </span>
        <button class="second">Where is it?</button>
      </form>
      {asked && <Answer context={context} asked={asked} />}
    </>
  );
}

function Answer({ context, asked: { trace } }: { context: ChannelPageContext; asked: TraceAsked }): VNode {
  const isOperators = context.door.holder === 'operator';
  if (!trace)
    return (
      <p role="status">
        {isOperators
          ? 'No ERP has pushed this record.'
          : 'You get no such record: it is not there, or it is not shared with you.'}
      </p>
    );
  const { id, pushed_at, deleted_at, requests, position, channels } = trace;
  const { now } = context;
  return (
    <>
      <p role="status">
        <b>{plain(id)}</b> {channels.map(({ says }) => masked(says))}
      </p>
      <FactList
        facts={[
          ['Last changed', <When at={pushed_at} now={now} />],
          deleted_at !== null && ['Deleted', <When at={deleted_at} now={now} />],
          requests !== null && [
            'By request',
            requests.map(plain).join(', ') || 'its receipt is no longer kept',
          ],
          position !== null && ['Position', position.toLocaleString('en-US')],
        ]}
      />
    </>
  );
}
