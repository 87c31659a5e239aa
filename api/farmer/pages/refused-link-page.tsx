import type { VNode } from 'preact';
import type { Language } from '../../../domain/language';
import { bilingualPage } from './bilingual-page';

/** A link of a customer who signs its links, and this one is not signed by it or has expired. */
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
