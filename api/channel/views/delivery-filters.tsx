import type { VNode } from 'preact';
import { DELIVERY_STATUSES } from '../../../store/deliveries/deliveries';
import type { ChannelView } from '../channel-view';
import { pathOf } from '../door';
import type { ChannelPageContext } from './page-layout';

/** Filters of the list of deliveries. */
export function Filters({ context, view }: { context: ChannelPageContext; view: ChannelView }): VNode {
  const { channel, query } = view;
  return (
    <form class="filters" method="get" action={`${pathOf(context.door, 'channel', channel._id)}#deliveries`}>
      <Choice id="entity" label="Entity type" options={channel.entity_types} chosen={query.entity_type} />
      <Choice id="status" label="Status" options={DELIVERY_STATUSES} chosen={query.status} />
      <button class="second">Show</button>
    </form>
  );
}

function Choice(props: {
  id: string;
  label: string;
  options: readonly string[];
  chosen: string | undefined;
}): VNode {
  const { id, label, options, chosen } = props;
  return (
    <span>
      <label for={id}>{label}</label>
      <select id={id} name={id}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option} selected={option === chosen}>
            {option}
          </option>
        ))}
      </select>
    </span>
  );
}
