import type { IncomingMessage } from 'node:http';
import type { ByteBudget, Lease } from '../byte-budget';
import type { Route } from '../route';

/** What forms may hold in all, apart from what pushes may; and the largest form of a route. */
export interface FormRoom {
  budget: ByteBudget;
  maxBytes: number;
}

// A code, a phone, a reason: what somebody types whom nobody knows yet.
export const SMALL_FORM_BYTES = 16 * 1024;

export const formRoom = ({ maxFormBytes }: Route, budget: ByteBudget): FormRoom => ({
  budget,
  maxBytes: maxFormBytes ?? SMALL_FORM_BYTES,
});

/** What was posted is no form, or one that is too large. */
export class BadForm extends Error {
  override name = 'BadForm';
}

/** The posted form. @throws BadForm */
export async function readForm(
  req: IncomingMessage,
  type: string,
  { budget, maxBytes }: FormRoom,
): Promise<URLSearchParams> {
  const lease = budget.lease();
  try {
    if (type !== 'application/x-www-form-urlencoded') throw new BadForm();
    return new URLSearchParams((await receive(req, maxBytes, lease)).toString('utf8'));
  } finally {
    lease.release();
    req.resume(); // a browser that is still sending would not see the answer otherwise
  }
}

async function receive(req: IncomingMessage, maxBytes: number, lease: Lease): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new BadForm();
      lease.growTo(length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw req.destroyed && !req.complete ? new BadForm() : error;
  }
  return Buffer.concat(chunks, length);
}
