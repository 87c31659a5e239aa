import { isMove } from './both-halves';
import type { Call } from './rewire';

/**
 * Knows the read of a page that is made while the customer answers the one before: after the last look at the channel, and
 * before the marker moves. It takes no turn of its own, so that nothing else is under way beside a POST.
 */
export function createIsReadAhead(): (call: Call) => boolean {
  let at: 'before' | 'read' | 'posting' = 'before';
  let ahead = false;
  return (call) => {
    const { collection, method, args } = call;
    const isPageRead =
      method === 'find' && 'position' in args[0]! && 'wire' in (args[1]?.['projection'] ?? {});
    if (isPageRead) {
      ahead = at === 'posting';
      if (!ahead) at = 'read';
      return ahead;
    }
    if (collection === 'channels' && method === 'findOne' && at === 'read') at = 'posting';
    else if (isMove(call)) at = ahead ? 'read' : 'before';
    else if (collection === 'markers' && method === 'findOneAndUpdate') at = 'before';
    return false;
  };
}
