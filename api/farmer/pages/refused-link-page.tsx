import type { VNode } from 'preact';
import type { Language } from '../../../domain/language';
import { bilingualPage } from './bilingual-page';

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
