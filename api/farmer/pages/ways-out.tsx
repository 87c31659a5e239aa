import type { VNode } from 'preact';
import type { Frame } from './layout';
import { PATHS } from '../paths';

/** Below a page's buttons: a step back, and back to the customer without a change. */
export function WaysOut({
  back,
  frame,
  customer,
}: {
  back: { href: string; text: string };
  frame: Frame;
  customer: string;
}): VNode {
  return (
    <p>
      <a class="plain" href={back.href}>
        {back.text}
      </a>
      <br />
      <a class="plain" href={PATHS.cancelled}>
        {frame.texts.leave(customer)}
      </a>
    </p>
  );
}
