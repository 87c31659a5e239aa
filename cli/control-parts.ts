import type { Parts, Result } from '../control/record-action';
import type { Channel } from '../store/channels/channels';
import type { Connections } from './connections';
import { note } from './print';
import { requireChannel } from './require-stored';

/** What a command that acts on a channel needs. */
export async function controlParts(
  connections: Connections,
  slug: string,
): Promise<{ parts: Parts; channel: Channel }> {
  const { findChannel } = await import('../store/channels/channels.js');
  const parts = { store: await connections.store(), temporal: await connections.temporal() };
  return { parts, channel: requireChannel(await findChannel(parts.store, slug), slug) };
}

/** Each command acts under a new id, so there is always a result. Its outcome is said unless it is what was asked for. */
export function done<R extends Result>(
  result: R | undefined,
  asAsked: (result: R) => boolean = () => false,
): R {
  if (!result) throw new Error('this action was recorded before');
  if (!asAsked(result)) note(result.outcome);
  return result;
}
