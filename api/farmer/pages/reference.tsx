import type { VNode } from 'preact';
import { plain } from '../../../domain/masked';

const LONGEST = 64;

/** A partner_id: opaque to us, and chosen by whoever made the link, so nothing of it may pass for words of the page. */
export function Reference({ of }: { of: string }): VNode {
  const signs = Array.from(plain(of));
  return <bdi>{signs.length > LONGEST ? `${signs.slice(0, LONGEST).join('')}…` : signs.join('')}</bdi>;
}
