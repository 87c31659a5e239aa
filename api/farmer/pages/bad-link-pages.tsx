import type { VNode } from 'preact';
import type { Language } from '../../../domain/text/language';
import type { LinkPart } from '../../../domain/consent/link-signature';
import type { Channel } from '../../../store/channels/channels';
import { bilingualPage } from './bilingual-page';

/** The page for a broken link. It names the invalid parameters without repeating their values. */
export function brokenLinkPage(props: {
  first: Language;
  parts: LinkPart[];
  /** The channel, if the link names a known one. */
  channel: Channel | undefined;
}): VNode {
  const { parts, channel } = props;
  return bilingualPage(
    props.first,
    ({ broken }) => broken.title,
    ({ broken: t }) => (
      <>
        <p>{t.help}</p>
        <p>{channel?.contact ? t.callWhom(channel.name, channel.contact) : t.call}</p>
        <p>{t.parts}</p>
        <ul>
          {parts.map((part) => (
            <li key={part}>{t.part[part]}</li>
          ))}
        </ul>
      </>
    ),
  );
}

/** The page for a link that should be signed, and is not or has expired. */
export function refusedLinkPage(props: {
  first: Language;
  why: 'unsigned' | 'over';
  channel: Channel;
}): VNode {
  const { why, channel } = props;
  return bilingualPage(
    props.first,
    ({ refusedLink }) => refusedLink[why].title,
    ({ refusedLink, broken }) => (
      <>
        <p>{refusedLink[why].text(channel.name)}</p>
        {channel.contact && <p>{broken.callWhom(channel.name, channel.contact)}</p>}
      </>
    ),
  );
}
