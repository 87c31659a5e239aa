import type { VNode } from 'preact';
import type { FarmerPageContext } from './layout';
import { PATHS } from '../paths';

/** The links below the buttons: one step back; and back to the customer without a change, if there is one. */
export function WaysOut({
  back,
  context,
  customer,
}: {
  back: { href: string; text: string };
  context: FarmerPageContext;
  customer: string | undefined;
}): VNode {
  return (
    <p>
      <a class="plain" href={back.href}>
        {back.text}
      </a>
      {customer !== undefined && (
        <>
          <br />
          <a class="plain" href={PATHS.cancelled}>
            {context.texts.leave(customer)}
          </a>
        </>
      )}
    </p>
  );
}
