import type { VNode } from 'preact';
import { sayWords } from '../../../domain/records/erp-word';
import { plain } from '../../../domain/text/masked';
import type { ChannelView } from '../channel-view';
import type { Shown } from './channel-top';
import { type Column, Table, When } from './page-parts';

/** How far each company is complete, and whether its ERP still pushes. */
export function Companies({ context: { now }, view: { companies } }: Shown): VNode {
  const columns: Column<ChannelView['companies'][number]>[] = [
    { title: 'Company', cell: ({ name }) => plain(name) },
    {
      title: 'Complete through',
      cell: ({ complete_through }) => <When at={complete_through} now={now} none="not known yet" />,
    },
    {
      title: 'Its ERP says complete',
      cell: ({ erp_complete_through }) => sayWords(erp_complete_through) || 'nothing yet',
    },
    { title: 'Last push', cell: ({ last_push_at }) => <When at={last_push_at} now={now} none="none yet" /> },
    { title: 'Silent since', cell: ({ silent_since }) => <When at={silent_since} now={now} /> },
    { title: 'Refused', number: true, cell: ({ set_aside }) => set_aside.toLocaleString('en-US') },
  ];
  return companies.length > 0 ? (
    <Table caption="Companies" columns={columns} rows={companies} />
  ) : (
    <p class="soft">No companies: no ERP pushes one that this channel carries.</p>
  );
}
