import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error';
import type { PushClient } from '../push/push-client';
import { bodyOf, type Harvest } from './harvest';

interface Orders {
  client: PushClient;
  harvest: Harvest;
  /** New records of each push. */
  records: number;
  everyMs: number;
  forMs: number;
  /** Ends the pushing before its time. */
  signal: AbortSignal;
  onPush: (pushed: Trickled) => void;
}

export interface Trickled {
  pushes: number;
  records: number;
  /** New records that the harvest still holds; then only changes come. */
  left: number;
}

/** Pushes the harvest bit by bit until its time has expired. @throws CliError when a push is refused */
export async function trickle(orders: Orders): Promise<Trickled> {
  const { client, harvest, records, everyMs, forMs, signal, onPush } = orders;
  const ends = Date.now() + forMs;
  const done: Trickled = { pushes: 0, records: 0, left: harvest.left() };
  const push = async (items: ReturnType<Harvest['next']>) => {
    const answer = await client.push(bodyOf(items), randomUUID(), false);
    if (answer.status !== 204) throw refused(answer.status);
    harvest.pushed(items);
    done.pushes += 1;
    done.records += items.length;
    done.left = harvest.left();
    onPush(done);
  };
  if (harvest.base.length > 0) await push(harvest.base);
  for (;;) {
    await push(harvest.next(records));
    if (signal.aborted || Date.now() + everyMs > ends) return done;
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return done;
  }
}

function refused(status: number): CliError {
  const advice =
    status === 401
      ? 'another `gdx sandbox` for this channel has taken over, or --url is another service than MONGODB_URI'
      : 'check --url: it is the address of the service, without a path';
  return new CliError(`the service refused a push with ${status}`, advice);
}
