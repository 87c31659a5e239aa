import type { VNode } from 'preact';
import { lastDayOf } from '../../../domain/grant-end';
import { plain } from '../../../domain/masked';
import type { Channel } from '../../../store/channels/channels';
import { type ChannelView, SHOWN } from '../channel-view';
import type { ChannelPageContext } from './page-layout';
import { type Column, Table, When } from './page-parts';

type Row = NonNullable<ChannelView['granted']>[number];

/** The accounts that farmers share with the customer. Only the endings of their phones are stored. */
export function Granted({
  context,
  channel,
  granted,
}: {
  context: ChannelPageContext;
  channel: Channel;
  granted: Row[];
}): VNode {
  const shown = granted.slice(0, SHOWN.granted);
  const all = channel.scope === 'all';
  return (
    <>
      {all && <p>The channel’s scope is all: it gets every record, shared or not.</p>}
      {!all && shown.length === 0 && <p>Nothing is shared now: nothing is sent.</p>}
      {shown.length > 0 && (
        <Table caption="Shared now, newest first" columns={columns(context)} rows={shown} />
      )}
      {granted.length > shown.length && (
        <p class="soft">
          There are more: <code>gdx subscriptions {channel._id}</code> lists them all.
        </p>
      )}
    </>
  );
}

const columns = (context: ChannelPageContext): Column<Row>[] => [
  {
    title: 'Account',
    cell: ({ account, known }) => (
      <>
        <b>{known ? plain(known.name) : 'not stored'}</b> <small>{plain(account)}</small>
      </>
    ),
  },
  { title: 'Partner id', cell: ({ partner_id }) => plain(partner_id) },
  { title: 'Since', cell: ({ since }) => <When at={since} now={context.now} /> },
  { title: 'Until', cell: ({ ends_at }) => (ends_at ? lastDayOf(ends_at) : 'no end') },
  { title: 'By the phone ending in', cell: ({ phone_ending }) => phone_ending },
];
