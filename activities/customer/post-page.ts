import { type Agent, type Dispatcher, request } from 'undici';
import { checkBaseUrl } from '../../domain/base-url';
import type { Answer } from '../../domain/classify-answer';
import { CustomerAgent, type Limits } from './create-agent';
import { BlockedAddress } from './guarded-connector';
import { InterimFlood, noAnswer } from './no-answer';
import { isStale } from './stale-sockets';

export interface Page {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

const INTERIM_ANSWERS = 10;

/**
 * Posts one page and says what came of it; never throws for what the customer does. A redirect is an answer like any
 * other and not followed.
 * @param mayRepeat asked before a page whose kept connection has failed goes out once more
 * @throws the signal's reason when `signal` ends the attempt
 */
export async function postPage(
  agent: Agent,
  page: Page,
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
      if (!isStale(error) || !(await mayRepeat())) throw error;
      return postAfresh(agent, page, limits, end);
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return noAnswer(error, late.aborted, limits);
  }
}

/** Once more, at once: the customer closed the kept connection before it saw the page, or else sees it twice. */
async function postAfresh(
  agent: CustomerAgent,
  page: Page,
  limits: Limits,
  end: AbortSignal,
): Promise<Answer> {
  const fresh = agent.fresh();
  try {
    return await post(fresh, page, limits, end);
  } finally {
    void fresh.destroy();
  }
}

async function post(agent: CustomerAgent, page: Page, limits: Limits, end: AbortSignal): Promise<Answer> {
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
  // A 2xx confirms at its headers; the rest is read only so that the connection can be used again.
  const text = (await drain(response.body, limits)).toString('utf8');
  const retryAfter = headers['retry-after'];
  return {
    status,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    excerpt: status >= 200 && status < 300 ? '' : text,
  };
}

/** Reads what comes of a body within the limits; beyond them its socket is destroyed. */
async function drain(body: Dispatcher.ResponseData['body'], limits: Limits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const patience = setTimeout(() => body.destroy(), limits.drainMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limits.drainBytes) break;
    }
  } catch {
    // the status says enough
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks);
}
