import { timeNow } from '../../domain/time/elapsed';
import type { Integration } from '../../store/callers/integrations';
import { notePushes, type NotedPushes } from '../../store/push/push-activity';
import type { Store } from '../../store/store';

// An integration that pushes all the time is noted twice a minute by each process.
const AGAIN_MS = 30_000;

interface Line {
  waiting: NotedPushes | undefined;
  isBusy: boolean;
}

const linesOf = new WeakMap<Store, Map<string, Line>>();

/** Keeps what an integration pushes, and when. No push waits for it or fails with it. */
export function notePush(
  store: Store,
  { _id, name, company }: Integration,
  pushed: { records: number; warnings: number },
): void {
  const lines = linesOf.get(store) ?? new Map<string, Line>();
  linesOf.set(store, lines);
  const line = lines.get(_id) ?? { waiting: undefined, isBusy: false };
  lines.set(_id, line);
  const now = timeNow();
  const { first_at = now, records = 0, warnings = 0 } = line.waiting ?? {};
  line.waiting = {
    erp: `${name} of ${company.name}`,
    company,
    first_at,
    last_at: now,
    records: records + pushed.records,
    warnings: warnings + pushed.warnings,
  };
  if (!line.isBusy) void writeDown(store, _id, line);
}

async function writeDown(store: Store, integration: string, line: Line): Promise<void> {
  const pushes = line.waiting;
  if (!pushes) return void (line.isBusy = false);
  line.isBusy = true;
  line.waiting = undefined;
  await notePushes(store, integration, pushes).catch(() => {
    // MongoDB is away: these counts are lost, and nothing else.
  });
  setTimeout(() => void writeDown(store, integration, line), AGAIN_MS).unref();
}
