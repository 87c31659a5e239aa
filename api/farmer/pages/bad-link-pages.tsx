import type { VNode } from 'preact';
import type { Language } from '../../../domain/language';
import type { LinkPart } from '../../../domain/link-signature';
import { bilingualPage } from './bilingual-page';

/** The page for a broken link. It names the invalid parameters without repeating their values. */
export function brokenLinkPage(props: {
  first: Language;
  parts: LinkPart[];
  /** The customer's contact, if the link names a known channel. */
  customer: { name: string; contact: string | undefined } | undefined;
}): VNode {
  const { parts, customer } = props;
  return bilingualPage(
    props.first,
    ({ broken }) => broken.title,
    ({ broken: t }) => (
      <>
        <p>{t.help}</p>
        <p>{customer?.contact ? t.callWhom(customer.name, customer.contact) : t.call}</p>
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
  customer: { name: string; contact: string | undefined };
}): VNode {
  const { why, customer } = props;
  return bilingualPage(
    props.first,
    ({ refusedLink }) => refusedLink[why].title,
    ({ refusedLink, broken }) => (
      <>
        <p>{refusedLink[why].text(customer.name)}</p>
        {customer.contact && <p>{broken.callWhom(customer.name, customer.contact)}</p>}
      </>
    ),
  );
}
