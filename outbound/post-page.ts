import { type Agent, errors } from 'undici';
import { checkBaseUrl } from '../domain/settings/base-url';
import type { Answer } from '../domain/deliveries/classify-answer';
import { tlsErrorKind } from '../domain/settings/tls-error';
import { InterimFlood } from './interim-answers';
import { drain, sendRequest } from './send-request';
import { CustomerAgent, type CustomerLimits } from './create-agent';
import { BlockedAddress } from './guarded-connector';
import { NotTunnelled, ProxyAway } from './open-tunnel';
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
    return await post(agent, page, end).catch(async (error: unknown) => {
      if (!isStaleSocketError(error) || !(await mayRepeat())) throw error;
      return postAfresh(agent, page, end);
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
async function postAfresh(agent: CustomerAgent, page: PageRequest, end: AbortSignal): Promise<Answer> {
  const fresh = agent.fresh();
  try {
    return await post(fresh, page, end);
  } finally {
    void fresh.destroy();
  }
}

async function post(agent: CustomerAgent, page: PageRequest, end: AbortSignal): Promise<Answer> {
  const { status, headers, body } = await sendRequest(page.url, {
    dispatcher: agent,
    method: 'POST',
    headers: page.headers,
    body: page.body,
    signal: end,
  });
  // A 2xx confirms with its headers; the body is read only so that the connection can be reused.
  const text = (await drain(body, agent.limits)).toString('utf8');
  return {
    status,
    retryAfter: headers['retry-after'],
    excerpt: status >= 200 && status < 300 ? '' : text,
  };
}

type NoAnswer = Extract<Answer, { status: null }>;

const NOT_REACHED = /^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$|^ETIMEDOUT$/;
const NO_NAME = /^(ENOTFOUND|EAI_\w+|ENODATA)$/;

/** Why a page got no response, as words that follow the customer's name (docs/contract.md O1). */
export function noAnswer(error: unknown, late: boolean, limits: CustomerLimits): NoAnswer {
  const { code, message } = error as NodeJS.ErrnoException;
  const because = (problem: NoAnswer['problem'], detail: string): NoAnswer => ({
    status: null,
    problem,
    detail,
  });
  if (error instanceof BlockedAddress) return because('blocked', `has a base URL that ${message}`);
  if (error instanceof NotTunnelled) return because('unreachable', error.message);
  if (error instanceof InterimFlood) return because('unreachable', error.message);
  if (error instanceof errors.ConnectTimeoutError)
    return because('timeout', `could not be reached within ${seconds(limits.connectMs)}`);
  if (late || error instanceof errors.HeadersTimeoutError)
    return { ...because('timeout', `did not answer within ${seconds(limits.requestMs)}`), reached: true };
  const name = code ?? (error as Error).name;
  if (error instanceof errors.HeadersOverflowError)
    return because('unreachable', `answered with more than ${limits.headerBytes / 1024} KB of headers`);
  if (error instanceof errors.HTTPParserError)
    return because('unreachable', `answered with something that is not HTTP (${name})`);
  const tls = tlsErrorKind(name);
  if (tls === 'certificate') return because('tls', `has a TLS certificate that is not valid (${name})`);
  if (tls) return because('tls', `does not speak TLS as it should (${name})`);
  if (name === 'ECONNREFUSED') return because('unreachable', 'refused the connection');
  if (NOT_REACHED.test(name)) return because('unreachable', `could not be reached (${name})`);
  if (NO_NAME.test(name)) return because('unreachable', 'has a name that does not resolve');
  const closed = because('unreachable', `closed the connection before its answer was complete (${name})`);
  return { ...closed, reached: true };
}

const seconds = (ms: number) => `${ms / 1_000} s`;
