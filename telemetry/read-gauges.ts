import { msSince } from '../domain/time/elapsed';
import { setTimeout as after } from 'node:timers/promises';
import { type Alert, listAlerts } from '../store/alerts/alerts';
import { type Channel, listChannels } from '../store/channels/channels';
import type { Store } from '../store/store';
import { listBacklogs, type Backlog } from '../store/markers/list-backlogs';
import { alertsOpen, changesLate, channelStates, freshness, mongodbUp, pendingRecords } from './instruments';

/** The figures that are read from MongoDB at a scrape. */
interface Figures {
  /** When they were read, by `performance.now()`. */
  at: number;
  states: Channel['state'][];
  waiting: (Backlog & { paused: boolean })[];
  alerts: Pick<Alert, 'channel' | 'class'>[];
}

const FRESH_MS = 15_000;
// Well below the 10 s after which a scrape times out. Figures that take longer are shown by the next scrape.
const TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 120_000;

/** @returns a function that updates the gauges and returns soon, whatever MongoDB does */
export function createGaugeReader(store: Store, read = readFigures): () => Promise<void> {
  let known: Figures | undefined;
  let reading: Promise<void> | undefined;

  async function readNow(): Promise<void> {
    try {
      known = await read(store);
      mongodbUp.set(1);
    } catch {
      mongodbUp.set(0); // this gauge reports the failure
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    if (!known || performance.now() - known.at > FRESH_MS) {
      reading ??= readNow();
      await Promise.race([reading, after(TIMEOUT_MS, undefined, { ref: false })]);
    }
    if (known && performance.now() - known.at > MAX_AGE_MS) known = undefined;
    if (!known) mongodbUp.set(0);
    show(known);
  };
}

async function readFigures(store: Store): Promise<Figures> {
  const at = performance.now();
  const all = await listChannels(store);
  const paused = new Set(all.filter(({ state }) => state === 'paused').map(({ _id }) => _id));
  const waiting = await listBacklogs(store, all);
  return {
    at,
    states: all.map(({ state }) => state),
    waiting: waiting.map((row) => ({ ...row, paused: paused.has(row.channel) })),
    alerts: await listAlerts(store),
  };
}

function show(figures: Figures | undefined): void {
  for (const gauge of [freshness, pendingRecords, changesLate, channelStates, alertsOpen]) gauge.reset();
  if (!figures) return;
  for (const state of ['active', 'paused'] as const) {
    channelStates.set({ state }, figures.states.filter((one) => one === state).length);
  }
  for (const { channel, entity_type, records, since, late, paused } of figures.waiting) {
    pendingRecords.set({ channel, entity_type }, records);
    changesLate.set({ channel, entity_type }, late.records);
    const seconds = since ? msSince(since) / 1_000 : 0;
    if (!paused) freshness.set({ channel, entity_type }, seconds);
  }
  for (const { channel, class: kind } of figures.alerts) alertsOpen.inc({ channel, class: kind });
}
