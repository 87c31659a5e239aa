import type { ComponentProps, VNode } from 'preact';
import { plain } from '../../../domain/text/masked';
import { formatCadence } from '../../../domain/deliveries/cadence';
import type { ChannelView } from '../channel-view';
import type { Shown } from './channel-top';
import { FactList, When } from './page-parts';

/** The channel's settings; of secrets, only whether they are set. */
export function SettingsList({ context, view }: Shown): VNode {
  const { channel } = view;
  const { companies, callback_origins: origins, headers = [], purpose, passes_on } = channel;
  const facts: ComponentProps<typeof FactList>['facts'] = [
    ['Delivery', channel.delivery === 'pull' ? 'the customer collects its pages' : 'pages are posted'],
    channel.base_url && ['Base URL', channel.base_url],
    ['Scope', channel.scope],
    channel.scope === 'subscribed' && ['Links to farmers', linksOf(view)],
    ['Entity types', channel.entity_types.join(', ')],
    ['Companies', companies.length === 0 ? 'every company' : companies.join(', ')],
    ['Cadence', formatCadence(channel.cadence_ms)],
    ['Page size', <PageSize context={context} view={view} />],
    ['Packed with gzip', channel.gzip ? 'yes' : 'no'],
    ['Authorization is sent', channel.authorization ? 'yes' : 'no'],
    ['Other headers', headers.length === 0 ? 'none' : headers.map(({ name }) => name).join(', ')],
    ['Callback origins', origins.length === 0 ? 'none' : origins.join(', ')],
    purpose && ['Purpose, as farmers read it', plain(`${purpose.en} / ${purpose.es}`)],
    passes_on && ['May be passed on to', plain(passes_on.join(', ')) || 'nobody'],
    ['Whom farmers can call', channel.contact ? plain(channel.contact) : 'nobody'],
    ['Notification address', <Notified context={context} view={view} />],
    ['Made', <When at={channel.created_at} now={context.now} />],
  ];
  return (
    <>
      <FactList facts={facts} />
      {context.door.holder === 'operator' && (
        <p class="soft">
          <code>gdx channel set {channel._id} --help</code> says how to change them.
        </p>
      )}
    </>
  );
}

const linksOf = ({ signsLinks }: ChannelView) => (signsLinks ? 'signed' : 'unsigned: anybody can make them');

/** Where the customer is told what happens, and whether the last notice was taken. */
function Notified({ context, view }: Shown): VNode {
  const { channel, lastNotice: last } = view;
  if (!channel.notify_url) return <>none</>;
  return (
    <>
      {plain(channel.notify_url)}
      {last?.sent_at && (
        <>
          : last told <When at={last.sent_at} now={context.now} />
        </>
      )}
      {last?.problem && `: it ${plain(last.problem)}`}
    </>
  );
}

/** A customer to whom pages were too large gets smaller ones for a while. */
function PageSize({ context, view: { channel, pageSizeNow } }: Shown): VNode {
  const { page_size, page_limit } = channel;
  if (pageSizeNow === page_size) return <>{page_size.toLocaleString('en-US')}</>;
  return (
    <>
      {page_size.toLocaleString('en-US')}, now {pageSizeNow.toLocaleString('en-US')}: the customer{' '}
      {page_limit?.cut_off ? 'did not answer' : 'refused'} larger pages{' '}
      <When at={page_limit?.at} now={context.now} />
    </>
  );
}
