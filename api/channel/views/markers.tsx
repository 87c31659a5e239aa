import type { VNode } from 'preact';
import { atLeast } from '../../../domain/records/count';
import { describeLaneOf } from '../../../domain/deliveries/lane';
import { plain } from '../../../domain/text/masked';
import type { ChannelView } from '../channel-view';
import type { Shown } from './channel-top';
import { type Column, Table, When } from './page-parts';

type Marker = ChannelView['markers'][number];

/** How far the customer has confirmed each entity type, and what is pending. */
export function Markers({ context, view }: Shown): VNode {
  const { now } = context;
  const { markers, lanes } = view;
  const columns: Column<Marker>[] = [
    { title: 'Entity type', cell: ({ entity_type }) => <b>{entity_type}</b> },
    { title: 'Now', cell: ({ entity_type }) => plain(describeLaneOf(lanes, entity_type)) },
    {
      title: 'Confirmed up to',
      cell: ({ timestamp, last_reset: reset }) => (
        <When at={timestamp} now={now} none={reset ? 'nothing since the reset' : 'nothing yet'} />
      ),
    },
    {
      title: 'Pending',
      number: true,
      cell: ({ pending_records: count, pending_at_least: cut }) =>
        atLeast(count.toLocaleString('en-US'), cut),
    },
    { title: 'Oldest pending', cell: ({ since }) => <When at={since} now={now} /> },
    {
      title: 'Last confirmed page',
      cell: ({ delivered_at }) => <When at={delivered_at} now={now} none="none yet" />,
    },
    {
      title: 'Last reset',
      cell: ({ last_reset: reset }) =>
        reset ? (
          <>
            <When at={reset.at} now={now} />, to <When at={reset.timestamp} now={now} />
          </>
        ) : (
          <span class="soft none">–</span>
        ),
    },
  ];
  return (
    <>
      {lanes.known === null && <p class="soft">{lanes.why}.</p>}
      <Table caption="Markers" columns={columns} rows={markers} />
    </>
  );
}
