import type { VNode } from 'preact';
import { plain } from '../../../domain/text/masked';
import type { OperatorAction } from '../../../store/callers/operator-actions';
import { ACTIONS } from '../actions';
import type { Shown } from './channel-top';
import type { ChannelPageContext } from './page-layout';
import { type Column, Table, When } from './page-parts';

/** The label of an action: that of its row, or else the `gdx` command. */
function labelOf({ action, via }: OperatorAction): string {
  const row = ACTIONS.find(({ name, recorded }) =>
    recorded ? recorded === action && via === '/customer' : name === action,
  );
  return row?.page!.done ?? `gdx ${action}`;
}

const UNFINISHED = 'Not finished: look whether it holds.';

/** "Reset a marker: tickets from 2026-10-01T00:00:00.000Z. Resends 12,304 tickets, about 13 pages." */
export function sayAction(done: OperatorAction): string {
  const { about, outcome } = done;
  return `${labelOf(done)}${about && `: ${about}`}. ${outcome === null ? UNFINISHED : plain(outcome)}`;
}

/** What was done to the channel, with reasons; newest first. */
export function ActionsDone({ context, view: { actions } }: Shown): VNode {
  if (actions.length === 0) return <p>Nothing yet.</p>;
  return (
    <Table
      caption={`What ${context.door.holder === 'operator' ? 'operators' : 'you'} did, newest first`}
      columns={columns(context)}
      rows={actions}
    />
  );
}

const columns = (context: ChannelPageContext): Column<OperatorAction>[] => [
  { title: 'When', cell: ({ at }) => <When at={at} now={context.now} /> },
  {
    title: 'Who',
    cell: ({ by, via }) => (
      <>
        {plain(by)} <small>{via}</small>
      </>
    ),
  },
  {
    title: 'What',
    cell: (action) => (
      <>
        <b>{labelOf(action)}</b> {action.about && <small>{plain(action.about)}</small>}
      </>
    ),
  },
  { title: 'Why', cell: ({ reason }) => (reason ? plain(reason) : <span class="soft">not said</span>) },
  { title: 'Outcome', cell: ({ outcome }) => (outcome === null ? UNFINISHED : plain(outcome)) },
  { title: 'Request id', cell: ({ request_id }) => <code>{plain(request_id)}</code> },
];
