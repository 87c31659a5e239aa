import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

// What one channel alone may have under way: of each of four entity types a window and its catch-ups.
export const PAGES_TO_A_HOST = 8;
const PATIENCE_MS = 10_000;

/**
 * Who may post to a host now. Many channels of one host that hangs would otherwise hold every place of a worker
 * (decision 12); those that get no turn give theirs back and wait as if the host had not answered.
 */
export class HostTurns {
  private readonly hosts = new Map<string, Semaphore>();

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /** @returns what gives the turn back, or undefined when none became free in time */
  async take(host: string): Promise<(() => void) | undefined> {
    const turns = this.hosts.get(host) ?? new Semaphore(PAGES_TO_A_HOST);
    this.hosts.set(host, turns);
    try {
      const [, release] = await withTimeout(turns, this.patienceMs).acquire();
      return () => {
        release();
        if (turns.getValue() === PAGES_TO_A_HOST) this.hosts.delete(host);
      };
    } catch (error) {
      if (error === E_TIMEOUT) return undefined;
      throw error;
    }
  }
}
