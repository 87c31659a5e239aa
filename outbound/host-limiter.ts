import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

// Two channels' worth: a channel posts at most one page of each of the four entity types at once.
export const MAX_PAGES_PER_HOST = 8;
const SLOT_TIMEOUT_MS = 10_000;

/**
 * Limits the concurrent pages to one host. Otherwise many channels of one hanging host would occupy every activity
 * slot of a worker (docs/decisions/0012). Channels of one host take turns, as some of many behind a gateway may hang.
 */
export class HostLimiter {
  private readonly hosts = new Map<string, Semaphore>();
  /** The pages of each channel that hold a slot or wait for one. */
  private readonly pages = new Map<string, number>();

  constructor(private readonly timeoutMs = SLOT_TIMEOUT_MS) {}

  /**
   * Takes a slot. Whose channel had fewer pages here when it came is first, then who came first.
   * @returns what gives it back; undefined when none became free in time
   */
  async take(host: string, channel: string): Promise<(() => void) | undefined> {
    const slots = this.hosts.get(host) ?? new Semaphore(MAX_PAGES_PER_HOST);
    this.hosts.set(host, slots);
    const others = this.pages.get(channel) ?? 0;
    this.count(channel, 1);
    try {
      const [, release] = await withTimeout(slots, this.timeoutMs).acquire(1, -others);
      return () => {
        this.count(channel, -1);
        release();
        if (slots.getValue() === MAX_PAGES_PER_HOST) this.hosts.delete(host);
      };
    } catch (error) {
      this.count(channel, -1);
      if (error === E_TIMEOUT) return undefined;
      throw error;
    }
  }

  private count(channel: string, change: 1 | -1): void {
    const pages = (this.pages.get(channel) ?? 0) + change;
    if (pages > 0) this.pages.set(channel, pages);
    else this.pages.delete(channel);
  }
}
