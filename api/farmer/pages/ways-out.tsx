import { Fragment, type VNode } from 'preact';
import type { FarmerPageContext } from './layout';
import { PATHS } from '../paths';

type To = readonly [href: string, text: string];

/** The links below the buttons. */
export function Links({ to }: { to: readonly To[] }): VNode {
  return (
    <p>
      {to.map(([href, text], index) => (
        <Fragment key={href}>
          {index > 0 && <br />}
          <a class="plain" href={href}>
            {text}
          </a>
        </Fragment>
      ))}
    </p>
  );
}

/** One step back; and back to the customer without a change, if there is one. */
export function WaysOut(props: {
  back: To;
  context: FarmerPageContext;
  customer: string | undefined;
}): VNode {
  const { back, context, customer } = props;
  if (customer === undefined) return <Links to={[back]} />;
  return <Links to={[back, [PATHS.cancelled, context.texts.leave(customer)]]} />;
}
