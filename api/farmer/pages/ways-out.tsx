import { Fragment, type VNode } from 'preact';
import type { FarmerPageContext } from './layout';
import { PATHS } from '../paths';

export type To = readonly [href: string, text: string];

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
  back: To | undefined;
  context: FarmerPageContext;
  customer: string | undefined;
}): VNode {
  const { back, context, customer } = props;
  const away: To[] = customer === undefined ? [] : [[PATHS.cancelled, context.texts.leave(customer)]];
  return <Links to={[...(back ? [back] : []), ...away]} />;
}
