import type { ComponentProps, VNode } from 'preact';
import { pageLimitOf, pageSizeOf, sayPublicKeys } from '../../../store/channels/channels';
import { plain } from '../../../domain/text/masked';
import { CHANNEL_SETTINGS } from '../../../control/all-channel-settings';
import { shownOf } from '../../../control/channel-setting';
import type { ChannelView } from '../channel-view';
import type { Shown } from './channel-top';
import { FactList, When } from './page-parts';

/** The channel's settings; of secrets, only whether they are set. */
export function SettingsList({ context, view }: Shown): VNode {
  const { channel } = view;
  const facts: ComponentProps<typeof FactList>['facts'] = [];
  for (const [name, row] of CHANNEL_SETTINGS) {
    const [label, textOf] = row.page ?? [];
    const Drawn = DRAWN[name];
    const text = textOf ? textOf(channel) : sayShown(shownOf(channel, name, row));
    if (label && Drawn) facts.push([label, <Drawn context={context} view={view} />]);
    else if (label && text !== null) facts.push([label, plain(text)]);
    if (name === 'scope' && channel.scope === 'subscribed') facts.push(['Links to farmers', linksOf(view)]);
  }
  facts.push(['Public keys', sayPublicKeys(channel).join(', ')]);
  facts.push(['Made', <When at={channel.created_at} now={context.now} />]);
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

function sayShown(shown: ReturnType<typeof shownOf>): string | null {
  if (typeof shown === 'boolean') return shown ? 'yes' : 'no';
  if (Array.isArray(shown)) return shown.join(', ') || 'none';
  return shown === null ? null : shown.toLocaleString('en-US');
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

/** A customer to whom pages were too large gets smaller ones of these types for a while. */
function PageSize({ context: { now }, view: { channel } }: Shown): VNode {
  const { page_size } = channel;
  const sizes = channel.entity_types.map((type) => [type, pageSizeOf(channel, type, now.getTime())] as const);
  return (
    <>
      {page_size.toLocaleString('en-US')}
      {sizes.map(([type, size]) => {
        const limit = size < page_size && pageLimitOf(channel, type);
        return limit ? (
          <>
            , now {size.toLocaleString('en-US')} of {type}: the customer{' '}
            {limit.cut_off ? 'did not answer' : 'refused'} larger pages <When at={limit.at} now={now} />
          </>
        ) : null;
      })}
    </>
  );
}

/** The lines that say more than the setting. */
const DRAWN: { [name: string]: typeof PageSize } = { page_size: PageSize, notify_url: Notified };
