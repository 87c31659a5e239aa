import type { VNode } from 'preact';
import { plain } from '../../../domain/masked';
import type { ChannelActionName, OperatorAction } from '../../../store/callers/operator-actions';
import type { ChannelPageContext } from './page-layout';
import { type Column, Table, When } from './page-parts';

const ACTION_LABELS: Record<ChannelActionName, string> = {
  pause: 'Paused',
  resume: 'Resumed',
  deliver: 'Deliver now',
  reset: 'Reset a marker',
  release: 'Released records',
  resend: 'Sent records again',
  test: 'Posted a test page',
};

const CUSTOMERS_LABELS: Partial<Record<OperatorAction['action'], string>> = {
  'channel rotate-secret': 'Rotated the signing secret',
  'channel set': 'Set the notification address',
};

const labelOf = ({ action, via }: OperatorAction) =>
  (via === '/customer' && CUSTOMERS_LABELS[action]) ||
  (ACTION_LABELS[action as ChannelActionName] ?? `gdx ${action}`);

const UNFINISHED = 'Not finished: look whether it holds.';

/** "Reset a marker: tickets from 2026-10-01T00:00:00.000Z. Resends 12,304 tickets, about 13 pages." */
export function sayAction(done: OperatorAction): string {
  const { about, outcome } = done;
  return `${labelOf(done)}${about && `: ${about}`}. ${outcome === null ? UNFINISHED : plain(outcome)}`;
}

/** What was done to the channel, with reasons; newest first. */
export function ActionsDone({
  context,
  actions,
}: {
  context: ChannelPageContext;
  actions: OperatorAction[];
}): VNode {
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
  { title: 'What came of it', cell: ({ outcome }) => (outcome === null ? UNFINISHED : plain(outcome)) },
  { title: 'Request id', cell: ({ request_id }) => <code>{plain(request_id)}</code> },
];
