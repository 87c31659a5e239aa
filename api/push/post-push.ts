import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { recordWarnings } from '../../domain/record-warnings';
import { parseStrictJson } from '../../domain/strict-json';
import { validatePush, type Push } from '../../domain/validate-push';
import { countPushRecords } from '../../metrics/count-push';
import type { RenderedPush } from '../../store/push/rendered-push';
import { storePush } from '../../store/push/store-push';
import { HttpError, invalid, unavailable } from '../http-error';
import type { Deps, IntegrationContext } from '../route';
import { renderPush } from './render-push';

// A parsed body of many small values takes about twenty times its bytes.
const SLOT_BYTES = 1024 * 1024;
const SLOTS = 16;
const SHOWN_WARNINGS = 3;

const parseSlots = new Semaphore(SLOTS);

/** `POST /api/v1/push`: stores everything in the request or nothing (docs/contract.md E1, E2). */
export async function postPush(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const { logged, body } = ctx.state;
  const release = await acquireParseSlots(body.length);
  try {
    if (ctx.headerSent) throw unavailable(); // the caller was already told to retry
    const push = await readPush(ctx);
    if (push.elevators.length === 0) release(); // the parsed body is no longer referenced
    const outcome = await storePush(store, push);
    Object.assign(logged, outcome);
    if (outcome.stored) countPushRecords(outcome);
    if (!outcome.stored && outcome.reason === 'request_id_reused') {
      throw new HttpError('REQUEST_ID_REUSED', 'This X-Request-ID was used before, with another body.');
    }
    ctx.status = 204;
  } finally {
    release();
  }
}

/** The work before the transaction. Each step takes a few hundred milliseconds for 16 MiB. */
async function readPush(ctx: IntegrationContext): Promise<RenderedPush> {
  const { body, integration, requestId, logged } = ctx.state;
  const parsed = parseStrictJson(body);
  await yieldToEventLoop();
  const checked = validatePush(parsed);
  if (!checked.ok) throw invalid(checked.messages);
  Object.assign(logged, warningsOf(checked.push));
  return {
    receiptId: `${integration._id}/${requestId}`,
    bodyHash: createHash('sha256').update(body).digest(),
    companyId: integration.company.id,
    records: await renderPush(checked.push, integration.company),
    elevators: checked.push.elevators,
  };
}

/** Bounds the memory of parsed bodies: the largest are parsed one at a time. @returns the function that frees the slots */
async function acquireParseSlots(bytes: number): Promise<() => void> {
  const [, release] = await parseSlots.acquire(Math.min(SLOTS, Math.max(1, Math.ceil(bytes / SLOT_BYTES))));
  return release;
}

/** Warnings about the records, for the log line: how many, and the first few. */
function warningsOf(push: Push): { warnings?: number; first_warnings?: string[] } {
  const shown: string[] = [];
  let warnings = 0;
  for (const type of ENTITY_TYPES) {
    for (const record of push.records[type]) {
      for (const warning of recordWarnings(type, record)) {
        if (++warnings <= SHOWN_WARNINGS) shown.push(`${type} ${record.id}: ${warning}`);
      }
    }
  }
  return warnings > 0 ? { warnings, first_warnings: shown } : {};
}
