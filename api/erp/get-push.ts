import { formatInstant } from '../../domain/time/instants';
import { findPushReport, RETENTION_HOURS } from '../../store/push/push-receipts';
import { HttpError } from '../http/http-error';
import type { Deps, IntegrationContext } from '../http/route';

/** `GET /api/v1/pushes/{request_id}`: what one push of the integration did (docs/contract.md E14). */
export async function getPush(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const request_id = ctx.params['request_id']!;
  const report = await findPushReport(store, `${ctx.state.integration._id}/${request_id}`);
  if (!report)
    throw new HttpError(
      'NOT_FOUND',
      `No push of yours with this id was stored in the last ${RETENTION_HOURS} hours.`,
    );
  const { at, changed, unchanged, elevators, warnings } = report;
  ctx.body = {
    request_id,
    received_at: formatInstant(at),
    changed,
    unchanged,
    ...(elevators !== undefined && { elevators }),
    warning_count: warnings.count,
    warnings: warnings.messages,
  };
}
