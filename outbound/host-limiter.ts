import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

// Two channels' worth: a channel posts at most one page of each of the four entity types at once.
export const MAX_PAGES_PER_HOST = 8;
const SLOT_TIMEOUT_MS = 10_000;

/**
 * Limits the concurrent pages to one host. Otherwise many channels of one hanging host would occupy every activity
 * slot of a worker (docs/decisions/0012).
 */
export class HostLimiter {
  private readonly hosts = new Map<string, Semaphore>();

  constructor(private readonly timeoutMs = SLOT_TIMEOUT_MS) {}

  /** Takes a slot, in order of arrival. @returns what gives it back; undefined when none became free in time */
  async take(host: string): Promise<(() => void) | undefined> {
    const slots = this.hosts.get(host) ?? new Semaphore(MAX_PAGES_PER_HOST);
    this.hosts.set(host, slots);
    try {
      const [, release] = await withTimeout(slots, this.timeoutMs).acquire();
      return () => {
        release();
        if (slots.getValue() === MAX_PAGES_PER_HOST) this.hosts.delete(host);
      };
    } catch (error) {
      if (error === E_TIMEOUT) return undefined;
      throw error;
    }
  }
}
