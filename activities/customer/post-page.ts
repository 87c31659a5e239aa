import type { Readable } from 'node:stream';
import { type Agent, errors, request } from 'undici';
import type { Answer } from '../../domain/classify-answer';

const WHOLE_REQUEST_MS = 30_000;
const EXCERPT_BYTES = 512;
const DRAIN = { bytes: 64 * 1024, ms: 1_000 };

// OpenSSL and Node name a bad certificate in many ways; all of them are for the customer to mend, none passes.
const TLS_PROBLEM = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_/;

/**
 * Posts one page and says what came of it; never throws for what the customer does.
 * @throws the signal's reason when `signal` ends the attempt
 */
export async function postPage(
  agent: Agent,
  page: { url: string; headers: Record<string, string>; body: Buffer },
  signal: AbortSignal,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(WHOLE_REQUEST_MS);
  try {
    const response = await request(page.url, {
      dispatcher: agent,
      method: 'POST',
      headers: page.headers,
      body: page.body,
      signal: AbortSignal.any([signal, timeout]),
    });
    const confirmed = response.statusCode >= 200 && response.statusCode < 300;
    const excerpt = confirmed ? '' : await firstBytes(response.body);
    // A 2xx confirms at its headers; the rest is read only so that the connection can be used again.
    await response.body.dump({ limit: DRAIN.bytes, signal: AbortSignal.timeout(DRAIN.ms) }).catch(() => {});
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      excerpt,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return noAnswer(error as NodeJS.ErrnoException, timeout.aborted);
  }
}

function noAnswer(error: NodeJS.ErrnoException, timedOut: boolean): Answer {
  const code = error.code ?? error.name;
  const detail = (problem: 'timeout' | 'unreachable' | 'tls', text: string): Answer => ({
    status: null,
    problem,
    detail: text,
  });
  if (timedOut || error instanceof errors.HeadersTimeoutError) {
    return detail('timeout', `did not answer within ${WHOLE_REQUEST_MS / 1_000} s`);
  }
  if (error instanceof errors.ConnectTimeoutError)
    return detail('timeout', 'could not be reached within 5 s');
  if (TLS_PROBLEM.test(code)) return detail('tls', `has a TLS certificate that does not hold (${code})`);
  if (code === 'ECONNREFUSED') return detail('unreachable', 'refused the connection');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return detail('unreachable', 'has a name that does not resolve');
  return detail('unreachable', `closed the connection without an answer (${code})`);
}

async function firstBytes(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const patience = setTimeout(() => body.destroy(), DRAIN.ms);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= EXCERPT_BYTES) break;
    }
  } catch {
    // the status says enough
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
}
