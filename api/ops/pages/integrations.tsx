import type { VNode } from 'preact';
import { count } from '../../../domain/count';
import { plain } from '../../../domain/masked';
import { sayInterval } from '../../../domain/push-rhythm';
import { type Column, Table, When } from '../../channel/views/page-parts';
import type { IntegrationRow } from '../integration-rows';

/** The list of ERPs. Nothing is shown if no ERP may push. */
export function Integrations({ rows, now }: { rows: IntegrationRow[]; now: Date }): VNode | null {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>ERPs</h2>
      <Table
        caption="ERPs that may push, silent ones first"
        columns={columns(now)}
        rows={rows}
        classOf={({ isSilent }) => (isSilent ? 'stale' : 'healthy')}
      />
    </section>
  );
}

const columns = (now: Date): Column<IntegrationRow>[] => [
  {
    title: 'ERP',
    cell: ({ name, company }) => (
      <>
        <b>{plain(name)}</b> of {plain(company)}
      </>
    ),
  },
  {
    title: 'Last push',
    cell: ({ pushed, isSilent }) => (
      <>
        {isSilent && <b>! silent since </b>}
        <When at={pushed?.last_at} now={now} none="none yet" />
      </>
    ),
  },
  {
    title: 'Usually within',
    cell: ({ pushed }) =>
      pushed?.usual_ms ? sayInterval(pushed.usual_ms) : <span class="soft">not known yet</span>,
  },
  {
    title: 'On its last day',
    number: true,
    cell: ({ pushed }) => (
      <>
        {count(pushed?.records ?? 0, 'record')}
        <small class="line">{count(pushed?.warnings ?? 0, 'warning')}</small>
      </>
    ),
  },
];
