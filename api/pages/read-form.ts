import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { HttpError } from '../http/http-error';
import type { ByteBudget } from '../limits/byte-budget';
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

const FORM = 'application/x-www-form-urlencoded';
const AS_TEXT = { json: false, urlencoded: false, text: true, textTypes: [FORM] };

/** What was posted is not a form, or is too large. */
export class BadForm extends Error {
  override name = 'BadForm';
}

/**
 * Reads the posted form. koa-body reads its text, and `URLSearchParams` the fields: a form may have thousands.
 * @param owner the owner whose share of the room its bytes take, as they arrive
 * @throws BadForm, or HttpError when the room is used up
 */
export async function readForm(
  ctx: Context,
  { budget, maxBytes }: FormRoom,
  owner: string,
): Promise<URLSearchParams> {
  const { req, request } = ctx;
  const lease = budget.lease(owner);
  const charge = (chunk: Buffer) => {
    try {
      lease.growTo(lease.held() + chunk.length);
    } catch (error) {
      req.emit('error', error); // koa-body reads no further, and throws it
    }
  };
  try {
    // Browsers never compress a form.
    const isForm = request.type === FORM && !req.headers['content-encoding'];
    if (!isForm || (request.length ?? 0) > maxBytes) throw new BadForm();
    req.on('data', charge);
    await koaBody({ ...AS_TEXT, textLimit: maxBytes })(ctx, async () => {});
    return new URLSearchParams((request.body as string | undefined) ?? '');
  } catch (error) {
    throw error instanceof HttpError ? error : new BadForm(); // also when the browser went away
  } finally {
    req.off('data', charge);
    lease.release();
    req.resume(); // a browser that is still sending would not see the answer otherwise
  }
}
