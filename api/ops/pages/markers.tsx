import type { VNode } from 'preact';
import type { ChannelView } from '../channel-view';
import type { OpsFrame } from './ops-layout';
import { type Column, Table } from './table';
import { When } from './when';

type Marker = ChannelView['markers'][number];

/** How far the customer has confirmed each entity type, and what is still to come. */
export function Markers({ frame, markers }: { frame: OpsFrame; markers: Marker[] }): VNode {
  const { now } = frame;
  const columns: Column<Marker>[] = [
    { title: 'Entity type', cell: ({ entity_type }) => <b>{entity_type}</b> },
    {
      title: 'Confirmed up to',
      cell: ({ timestamp }) => <When at={timestamp} now={now} none="nothing yet" />,
    },
    { title: 'Pending', number: true, cell: ({ pending_records: count }) => count.toLocaleString('en-US') },
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
  return <Table caption="Markers" columns={columns} rows={markers} />;
}
