import { type Agent, type Dispatcher, request } from 'undici';
import { checkBaseUrl } from '../domain/base-url';
import type { Answer } from '../domain/classify-answer';
import { CustomerAgent, type CustomerLimits } from './create-agent';
import { BlockedAddress } from './guarded-connector';
import { InterimFlood, noAnswer } from './no-answer';
import { isStaleSocketError } from './stale-sockets';

export interface PageRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

const INTERIM_ANSWERS = 10;

/**
 * Posts one page; never throws for what the customer does. A redirect is an answer like any other and is not
 * followed.
 * @param mayRepeat asked before the page is repeated because its keep-alive connection had failed
 * @throws the signal's reason when `signal` aborts the request
 */
export async function postPage(
  agent: Agent,
  page: PageRequest,
  signal: AbortSignal,
  mayRepeat: () => Promise<boolean>,
): Promise<Answer> {
  if (!(agent instanceof CustomerAgent)) throw new TypeError('pages are posted by the agent of createAgent');
  const { limits } = agent;
  const late = AbortSignal.timeout(limits.requestMs);
  const end = AbortSignal.any([signal, late]);
  try {
    const checked = checkBaseUrl(page.url, agent.rule);
    if ('problem' in checked) throw new BlockedAddress(checked.problem);
    return await post(agent, page, limits, end).catch(async (error: unknown) => {
      if (!isStaleSocketError(error) || !(await mayRepeat())) throw error;
      return postAfresh(agent, page, limits, end);
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return noAnswer(error, late.aborted, limits);
  }
}

/**
 * Repeats the request on a new connection. The customer closed the keep-alive connection before reading the page;
 * otherwise it sees the page twice.
 */
async function postAfresh(
  agent: CustomerAgent,
  page: PageRequest,
  limits: CustomerLimits,
  end: AbortSignal,
): Promise<Answer> {
  const fresh = agent.fresh();
  try {
    return await post(fresh, page, limits, end);
  } finally {
    void fresh.destroy();
  }
}

async function post(
  agent: CustomerAgent,
  page: PageRequest,
  limits: CustomerLimits,
  end: AbortSignal,
): Promise<Answer> {
  const flood = new AbortController();
  let interim = 0;
  const response = await request(page.url, {
    dispatcher: agent,
    method: 'POST',
    headers: page.headers,
    body: page.body,
    signal: AbortSignal.any([end, flood.signal]),
    onInfo: () => {
      if (++interim > INTERIM_ANSWERS)
        flood.abort(new InterimFlood(`answered with more than ${INTERIM_ANSWERS} interim answers`));
    },
  });
  const { statusCode: status, headers } = response;
  // A 2xx confirms with its headers; the body is read only so that the connection can be reused.
  const text = (await drain(response.body, limits)).toString('utf8');
  const retryAfter = headers['retry-after'];
  return {
    status,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    excerpt: status >= 200 && status < 300 ? '' : text,
  };
}

/** Reads a body within the limits; beyond them its socket is destroyed. */
async function drain(body: Dispatcher.ResponseData['body'], limits: CustomerLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), limits.drainMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limits.drainBytes) break;
    }
  } catch {
    // the status is enough
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
