import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseStrictJson } from '../../domain/strict-json';
import { validatePush } from '../../domain/validate-push';
import { storePush } from '../../store/store-push';
import { HttpError, invalid } from '../http-error';
import type { Deps, IntegrationContext } from '../route';
import { renderPush } from './render-push';
import { warningsOf } from './warnings-of';

/** `POST /api/v1/push`: 204 once everything in the request is stored, or nothing of it is (contract 2). */
export async function pushRecords(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const { body, integration, requestId, logged } = ctx.state;
  const parsed = parseStrictJson(body);
  await othersTurn(); // each half of this takes a few hundred milliseconds for 16 MiB
  const checked = validatePush(parsed);
  if (!checked.ok) throw invalid(checked.messages);
  Object.assign(logged, warningsOf(checked.push));

  const outcome = await storePush(store, {
    receiptId: `${integration._id}/${requestId}`,
    bodyHash: createHash('sha256').update(body).digest(),
    companyId: integration.company.id,
    records: await renderPush(checked.push, integration.company),
    elevators: checked.push.elevators,
  });
  Object.assign(logged, outcome);
  if (!outcome.stored && outcome.reason === 'request_id_reused') {
    throw new HttpError('REQUEST_ID_REUSED', 'This X-Request-ID was used before, with another body.');
  }
  ctx.status = 204;
}
