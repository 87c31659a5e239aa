import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import type { ByteBudget } from '../limits/byte-budget';
import { addressKey } from '../limits/rate-limit';
import type { RouteTraits } from '../http/route';

/** What forms may hold in all, apart from what pushes may; and the largest form of a route. */
export interface FormRoom {
  budget: ByteBudget;
  maxBytes: number;
}

// A code, a phone, a reason: what somebody types whom nobody knows yet.
export const SMALL_FORM_BYTES = 16 * 1024;

export const formRoom = ({ maxFormBytes }: RouteTraits, budget: ByteBudget): FormRoom => ({
  budget,
  maxBytes: maxFormBytes ?? SMALL_FORM_BYTES,
});

/** What was posted is not a form, or is too large. */
export class BadForm extends Error {
  override name = 'BadForm';
}

// The parsed object is not used: it stops at a thousand keys, and a farmer may have ten thousand accounts.
const PLAIN_FORM = { json: false, text: false, multipart: false, includeUnparsed: true };
const PARSE_ONE = { parameterLimit: 1 };

/** The posted form. @throws BadForm */
export async function readForm(ctx: Context, { budget, maxBytes }: FormRoom): Promise<URLSearchParams> {
  const { req, request } = ctx;
  const lease = budget.lease(addressKey(ctx.ip));
  try {
    // A packed form is refused: koa-body would wait forever for one that was aborted.
    if (request.type !== 'application/x-www-form-urlencoded' || req.headers['content-encoding'])
      throw new BadForm();
    lease.growTo(Math.min(request.length ?? maxBytes, maxBytes));
    const read = koaBody({ ...PLAIN_FORM, formLimit: maxBytes, queryString: PARSE_ONE, onError: refuse });
    await read(ctx, () => Promise.resolve());
    return new URLSearchParams(request.rawBody);
  } finally {
    lease.release();
    req.resume(); // a browser that is still sending would not see the answer otherwise
  }
}

function refuse(): never {
  throw new BadForm();
}
