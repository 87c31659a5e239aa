import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { MINUTE_MS } from '../../domain/time/spans';
import { addressKey, createRateLimiter } from './rate-limit';

/** What of a request says whether its line is written. */
type Answered = Pick<ParameterizedContext, 'ip' | 'status'> & { state: object };

const isKnown = (state: object) => ['integration', 'channel', 'session'].some((who) => who in state);

/**
 * Bounds the lines that somebody without token and session adds to the log, and those of refusals by limits. Otherwise
 * whoever sends enough fills the disk. Further ones are counted, and a line a minute says how many they were.
 * @returns a function that counts one more, and says whether it is written
 */
export function createLineLimit(log: Logger, perMinute: number, tellMs = MINUTE_MS) {
  const written = createRateLimiter(perMinute);
  const counted = new Map<string, number>();

  function tell(): void {
    const all = [...counted].sort(([, one], [, other]) => other - one);
    const [[address, requests] = []] = all;
    const sum = all.reduce((total, [, count]) => total + count, 0);
    log.warn(
      { requests: sum, addresses: all.length, most: { address, requests } },
      'requests of strangers were counted and not logged',
    );
    counted.clear();
  }

  return ({ ip, status, state }: Answered): boolean => {
    if ((isKnown(state) && status !== 429) || written.take(addressKey(ip)) === 0) return true;
    if (counted.size === 0) setTimeout(tell, tellMs).unref();
    counted.set(ip, (counted.get(ip) ?? 0) + 1);
    return false;
  };
}
