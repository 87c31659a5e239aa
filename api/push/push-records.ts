import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseStrictJson } from '../../domain/strict-json';
import { validatePush } from '../../domain/validate-push';
import { countPushRecords } from '../../metrics/count-push';
import { storePush, type RenderedPush } from '../../store/store-push';
import { HttpError, invalid, unavailable } from '../http-error';
import type { Deps, IntegrationContext } from '../route';
import { renderPush } from './render-push';
import { treeTurn } from './tree-turn';
import { warningsOf } from './warnings-of';

/** `POST /api/v1/push`: 204 once everything in the request is stored, or nothing of it is (contract 2). */
export async function pushRecords(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const { logged, body } = ctx.state;
  const leave = await treeTurn(body.length);
  try {
    if (ctx.headerSent) throw unavailable(); // too late: it was told to try again
    const push = await readPush(ctx);
    if (push.elevators.length === 0) leave(); // nothing of the tree is left
    const outcome = await storePush(store, push);
    Object.assign(logged, outcome);
    if (outcome.stored) countPushRecords(outcome);
    if (!outcome.stored && outcome.reason === 'request_id_reused') {
      throw new HttpError('REQUEST_ID_REUSED', 'This X-Request-ID was used before, with another body.');
    }
    ctx.status = 204;
  } finally {
    leave();
  }
}

/** All that is done before the transaction begins. Each part of it takes a few hundred milliseconds for 16 MiB. */
async function readPush(ctx: IntegrationContext): Promise<RenderedPush> {
  const { body, integration, requestId, logged } = ctx.state;
  const parsed = parseStrictJson(body);
  await othersTurn();
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
