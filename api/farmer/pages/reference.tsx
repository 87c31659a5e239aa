import type { VNode } from 'preact';
import { plain } from '../../../domain/text/masked';

const LONGEST = 64;

/** Shows a partner_id. Whoever made the link has chosen it, so it is set apart and cannot pass for words of the page. */
export function Reference({ of }: { of: string }): VNode {
  const signs = Array.from(plain(of));
  return <bdi>{signs.length > LONGEST ? `${signs.slice(0, LONGEST).join('')}…` : signs.join('')}</bdi>;
}
