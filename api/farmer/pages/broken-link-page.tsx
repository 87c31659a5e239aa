import type { VNode } from 'preact';
import type { Language } from '../../../domain/language';
import type { LinkPart } from '../read-link';
import { bilingualPage } from './bilingual-page';

/** Names the parts that are wrong and says nothing of what was in them. */
export function brokenLinkPage(props: {
  first: Language;
  parts: LinkPart[];
  /** Of the customer, where the link names one of ours. */
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
