import type { Context } from 'koa';
import { HttpError } from '../http/http-error';
import type { ByteBudget } from '../limits/byte-budget';
import { collectBody } from '../limits/collect-body';
import type { RouteTraits } from '../http/route';

/** The budget of all forms, apart from that of pushes, and the size of the largest form of a route. */
export interface FormRoom {
  budget: ByteBudget;
  maxBytes: number;
}

// Enough for the input of somebody unknown: a code, a phone, a reason.
export const SMALL_FORM_BYTES = 16 * 1024;

export const formRoom = ({ maxFormBytes }: RouteTraits, budget: ByteBudget): FormRoom => ({
  budget,
  maxBytes: maxFormBytes ?? SMALL_FORM_BYTES,
});

/** What was posted is not a form, or is too large. */
export class BadForm extends Error {
  override name = 'BadForm';
}

/**
 * Reads the posted form.
 * @param owner the owner whose share of the room its bytes take
 * @throws BadForm, or HttpError when the room is used up
 */
export async function readForm(
  ctx: Context,
  { budget, maxBytes }: FormRoom,
  owner: string,
): Promise<URLSearchParams> {
  const { req, request } = ctx;
  const lease = budget.lease(owner);
  try {
    // Browsers never compress a form.
    const isForm = request.type === 'application/x-www-form-urlencoded' && !req.headers['content-encoding'];
    if (!isForm || (request.length ?? 0) > maxBytes) throw new BadForm();
    const body = await collectBody(req, { maxBytes, lease });
    return new URLSearchParams(body.toString());
  } catch (error) {
    const isFull = error instanceof HttpError && error.code !== 'PAYLOAD_TOO_LARGE';
    throw isFull ? error : new BadForm(); // also when the browser went away
  } finally {
    lease.release();
    req.resume(); // a browser that is still sending would not see the answer otherwise
  }
}
