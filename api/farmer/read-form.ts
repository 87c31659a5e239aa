import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../byte-budget';
import { Trouble } from './trouble';

// Ten thousand account ids fit in.
const MAX_BYTES = 1024 * 1024;

/** The posted form. @throws Trouble when it is none, or too large */
export async function readForm(
  req: IncomingMessage,
  type: string,
  budget: ByteBudget,
): Promise<URLSearchParams> {
  const lease = budget.lease();
  try {
    if (type !== 'application/x-www-form-urlencoded') throw new Trouble('invalid');
    return new URLSearchParams((await receive(req, (length) => lease.growTo(length))).toString('utf8'));
  } finally {
    lease.release();
    req.resume(); // a browser that is still sending would not see the answer otherwise
  }
}

async function receive(req: IncomingMessage, hold: (length: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Trouble('invalid');
      hold(length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw req.destroyed && !req.complete ? new Trouble('invalid') : error;
  }
  return Buffer.concat(chunks, length);
}
