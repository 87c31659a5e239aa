import { surelyNow } from '../../domain/time/elapsed';
import { askDeletions } from '../../control/ask-deletions';
import { eraseEnded } from '../../control/erase-ended';
import { endGrants } from '../../control/end-grants';
import {
  freeTaken,
  giveUpBegun,
  listBegun,
  listTaken,
  sharingSince,
} from '../../store/consent/farmer-notices';
import { noteEndings } from '../../store/sharing/note-consents';
import { refreshHashKeys } from '../../store/secrets/hash-key';
import { remind, type TellDeps, tellBegun } from './tell-farmers';
import type { FarmerDeps } from './farmer-state';
import { HOUR_MS, MINUTE_MS, YEAR_MS } from '../../domain/time/spans';

type RoundDeps = TellDeps & Pick<FarmerDeps, 'temporal'>;

/** The API's own rounds of texts to farmers. Every process makes them, and each text is taken by only one. */
export function createRounds(deps: RoundDeps) {
  const { store } = deps;
  let takenBefore = new Map<string, string>();
  return {
    /** Tells farmers what no process has told them yet. */
    async everyMinute(): Promise<void> {
      for (const farmer of await listBegun(store, false)) await tellBegun(deps, farmer);
    },
    /** Reminds farmers once a year, and repeats texts that failed or that a dead process had taken. */
    async everyHour(now: Date): Promise<void> {
      const taken = await listTaken(store);
      // A text that still has the same word an hour later was taken by a dead process. Times would not show it, as
      // clocks differ.
      for (const [farmer, word] of taken)
        if (takenBefore.get(farmer) === word) await freeTaken(store, farmer, word);
      takenBefore = taken;
      for await (const farmer of sharingSince(store, new Date(now.getTime() - YEAR_MS)))
        await remind(deps, farmer, now);
      for (const farmer of await listBegun(store, true)) await tellBegun(deps, farmer);
      await giveUpBegun(store);
    },
  };
}

/**
 * Makes the rounds while the process serves. None waits for another, so a text provider that is down delays no end of a
 * grant. Failures are logged; the next round repeats the work.
 */
export function startRounds(deps: RoundDeps & Pick<FarmerDeps, 'serving'>): void {
  const rounds = createRounds(deps);
  const every = (ms: number, round: (now: Date) => Promise<unknown>) => {
    let isRunning = false;
    const go = async () => {
      if (isRunning || deps.serving.phase !== 'serving') return;
      isRunning = true;
      try {
        await refreshHashKeys(deps.store); // phones are found by their hash, whose keys may have been replaced
        await round(surelyNow());
      } catch (error) {
        deps.log.warn({ error: (error as Error).message }, 'a round for farmers was not finished');
      } finally {
        isRunning = false;
      }
    };
    setInterval(() => void go(), ms).unref();
    void go();
  };
  every(MINUTE_MS, () => askDeletions(deps.store));
  every(MINUTE_MS, (now) => endGrants(deps, now));
  every(MINUTE_MS, rounds.everyMinute);
  every(MINUTE_MS, (now) => eraseEnded(deps, now));
  every(HOUR_MS, (now) => noteEndings(deps.store, now));
  every(HOUR_MS, rounds.everyHour);
}
