import { askDeletions } from '../../control/ask-deletions';
import { endGrants } from '../../control/end-grants';
import {
  freeTaken,
  giveUpBegun,
  listBegun,
  listTaken,
  sharingSince,
} from '../../store/consent/farmer-notices';
import { refreshHashKeys } from '../../store/secrets/hash-key';
import { readServerFacts } from '../../store/schema/server-facts';
import { remind, type TellDeps, tellBegun } from './tell-farmers';
import type { FarmerDeps } from './farmer-state';
import { HOUR_MS, MINUTE_MS, YEAR_MS } from '../../domain/spans';

type RoundDeps = TellDeps & Pick<FarmerDeps, 'temporal'>;

/** What the API does by itself for farmers: in every process, as each step is taken by one of them only. */
export function createRounds(deps: RoundDeps) {
  const { store } = deps;
  let takenBefore = new Map<string, string>();
  return {
    /** Tells of what has begun, where the process of the grant could not. */
    async everyMinute(): Promise<void> {
      for (const farmer of await listBegun(store, false)) await tellBegun(deps, farmer);
    },
    /** Reminds, and tries again what failed or was left by a process that has died. */
    async everyHour(now: Date): Promise<void> {
      const taken = await listTaken(store);
      // By its word and not by the time, as clocks differ: the same an hour later.
      for (const [farmer, word] of taken)
        if (takenBefore.get(farmer) === word) await freeTaken(store, farmer, word);
      takenBefore = taken;
      for (const farmer of await listBegun(store, true)) await tellBegun(deps, farmer);
      await giveUpBegun(store);
      for await (const farmer of sharingSince(store, new Date(now.getTime() - YEAR_MS)))
        await remind(deps, farmer, now);
    },
  };
}

/**
 * Makes the rounds while the process serves, none waiting for another: a provider of texts that is down holds up no end of a
 * grant. What fails is logged, and done in the next.
 */
export function startRounds(deps: RoundDeps & Pick<FarmerDeps, 'serving'>): void {
  const rounds = createRounds(deps);
  const every = (ms: number, round: (now: Date) => Promise<unknown>) => {
    let isUnderWay = false;
    const go = async () => {
      if (isUnderWay || deps.serving.phase !== 'serving') return;
      isUnderWay = true;
      try {
        await refreshHashKeys(deps.store); // a phone is found by its hash, and the keys may have been exchanged
        await round(await agreedTime(deps.store));
      } catch (error) {
        deps.log.warn({ error: (error as Error).message }, 'a round for farmers was not finished');
      } finally {
        isUnderWay = false;
      }
    };
    setInterval(() => void go(), ms).unref();
    void go();
  };
  every(MINUTE_MS, () => askDeletions(deps.store));
  every(MINUTE_MS, (now) => endGrants(deps, now));
  every(MINUTE_MS, rounds.everyMinute);
  every(HOUR_MS, rounds.everyHour);
}

/** The earlier of this process's clock and the database's: one that is ahead ends and reminds nobody too early. */
export async function agreedTime(store: FarmerDeps['store']): Promise<Date> {
  const { clockAheadMs = 0 } = await readServerFacts(store);
  return new Date(Date.now() + Math.min(0, clockAheadMs));
}
