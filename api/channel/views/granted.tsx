import type { VNode } from 'preact';
import { lastDayOf } from '../../../domain/consent/grant-end';
import { plain } from '../../../domain/text/masked';
import { type ChannelView, SHOWN } from '../channel-view';
import type { Shown } from './channel-top';
import type { ChannelPageContext } from './page-layout';
import { type Column, Table, When } from './page-parts';

type Row = NonNullable<ChannelView['granted']>[number];

/**
 * The accounts that farmers share with the customer, and those that they share no longer. Only the endings of their phones are
 * stored.
 */
export function Granted({ context, view }: Shown): VNode {
  const { channel, granted = [], ended = [] } = view;
  const shown = granted.slice(0, SHOWN.granted);
  const over = ended.slice(0, SHOWN.granted);
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
      {over.length > 0 && (
        <Table caption="Shared no longer, newest first" columns={endedColumns(context)} rows={over} />
      )}
      {ended.length > over.length && (
        <p class="soft">
          There are more: <code>gdx subscriptions {channel._id} --ended</code> lists them all.
        </p>
      )}
    </>
  );
}

const WHOSE: Column<Row>[] = [
  {
    title: 'Account',
    cell: ({ account, known }) => (
      <>
        <b>{known ? plain(known.name) : 'not stored'}</b> <small>{plain(account)}</small>
      </>
    ),
  },
  { title: 'Partner id', cell: ({ partner_id }) => plain(partner_id) },
];

const columns = (context: ChannelPageContext): Column<Row>[] => [
  ...WHOSE,
  { title: 'Since', cell: ({ since }) => <When at={since} now={context.now} /> },
  { title: 'Records', cell: ({ from }) => (from ? 'only what is new since' : 'the earlier ones too') },
  { title: 'Until', cell: ({ ends_at }) => (ends_at ? lastDayOf(ends_at) : 'no end') },
  { title: 'By the phone ending in', cell: ({ phone_ending }) => phone_ending },
];

/** The service cannot check a deletion, so the page shows only what the customer has said. */
const endedColumns = ({ now }: ChannelPageContext): Column<Row>[] => [
  ...WHOSE,
  { title: 'Until', cell: ({ ended_at }) => (ended_at ? <When at={ended_at} now={now} /> : '-') },
  {
    title: 'Deletion',
    cell: ({ deletion }) => {
      if (!deletion) return 'not asked for: somebody else shares it';
      const { asked_at, confirmed_at } = deletion;
      if (!asked_at) return 'the request is not known to be offered';
      return (
        <>
          offered <When at={asked_at} now={now} />
          {confirmed_at ? ', confirmed ' : ', not confirmed'}
          {confirmed_at && <When at={confirmed_at} now={now} />}
        </>
      );
    },
  },
  { title: 'By the phone ending in', cell: ({ phone_ending }) => phone_ending },
];
