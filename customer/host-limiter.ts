import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

// Two channels' worth: a channel posts at most one page of each of the four entity types at once.
export const MAX_PAGES_PER_HOST = 8;
const SLOT_TIMEOUT_MS = 10_000;

/** No slot became free in time. */
export class HostBusy extends Error {
  override name = 'HostBusy';
}

/**
 * Limits the concurrent pages to one host. Otherwise many channels of one hanging host would occupy every activity
 * slot of a worker (docs/decisions/0012).
 */
export class HostLimiter {
  private readonly hosts = new Map<string, Semaphore>();

  constructor(private readonly timeoutMs = SLOT_TIMEOUT_MS) {}

  /** @throws HostBusy */
  async run<T>(host: string, work: () => Promise<T>): Promise<T> {
    const slots = this.hosts.get(host) ?? new Semaphore(MAX_PAGES_PER_HOST);
    this.hosts.set(host, slots);
    const release = await this.acquire(slots);
    try {
      return await work();
    } finally {
      release();
      if (slots.getValue() === MAX_PAGES_PER_HOST) this.hosts.delete(host);
    }
  }

  private async acquire(slots: Semaphore): Promise<() => void> {
    try {
      const [, release] = await withTimeout(slots, this.timeoutMs).acquire();
      return release;
    } catch (error) {
      throw error === E_TIMEOUT ? new HostBusy('no slot became free in time') : error;
    }
  }
}
