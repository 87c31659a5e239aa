import type { VNode } from 'preact';
import type { FarmerPageContext } from './layout';
import { PATHS } from '../paths';

/** Links below the buttons: one step back, and back to the customer, if there is one, without a change. */
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
