import type { Agent } from 'undici';
import { checkBaseUrl } from '../domain/base-url';
import type { Answer } from '../domain/classify-answer';
import { drain, sendRequest } from '../outbound/send-request';
import { CustomerAgent, type CustomerLimits } from './create-agent';
import { BlockedAddress } from './guarded-connector';
import { noAnswer } from './no-answer';
import { ProxyAway } from './open-tunnel';
import { isStaleSocketError } from './stale-sockets';

export interface PageRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Posts one page; never throws for what the customer does. A redirect is an answer like any other and is not
 * followed.
 * @param mayRepeat asked before the page is repeated because its keep-alive connection had failed
 * @throws the signal's reason when `signal` aborts the request; ProxyAway, which is not the customer's fault
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
    if (error instanceof ProxyAway) throw error;
    return noAnswer(error, late.aborted, limits);
  }
}

/**
 * Repeats the request on a new connection. If the customer had read the page before it closed the keep-alive
 * connection, it sees the page twice.
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
  const { status, headers, body } = await sendRequest(page.url, {
    dispatcher: agent,
    method: 'POST',
    headers: page.headers,
    body: page.body,
    signal: end,
  });
  // A 2xx confirms with its headers; the body is read only so that the connection can be reused.
  const text = (await drain(body, limits)).toString('utf8');
  return {
    status,
    retryAfter: headers['retry-after'],
    excerpt: status >= 200 && status < 300 ? '' : text,
  };
}
