import { setTimeout as sleep } from 'node:timers/promises';
import { formatCadence } from '../../domain/deliveries/cadence';
import { parseRetryAfter, retryDelay } from '../../domain/deliveries/retry-delay';
import type { OutboundAnswer, OutboundRequest } from '../../outbound/send-request';
import { CliError, EXIT } from '../cli-error';
import { parseJson } from '../parse-json';
import { whyNoAnswer, whyUnreachable } from './why-unreachable';

const TIMEOUT_MS = 60_000; // docs/erp.md: a minute for a large request
const LONGEST_WAIT_MS = 60_000;
const MOST_BYTES = 64 * 1024 * 1024; // the largest page has 16 MiB
const AGAIN = new Set([408, 425, 429]);
const TOKEN_CURE =
  'check the token: it may have ended, or be for tests in production; another is read when gdx is started again';

export interface ServiceClientSettings {
  url: string;
  token: string;
  /** How long a request is tried again; undefined: for ever. */
  retryForMs: number | undefined;
  /** Waits even where the address seems wrong, as it does to a machine that has begun before its network, or the token. */
  isPatient?: boolean;
  onWait: (why: string, waitMs: number) => void;
}

type ServiceRequest = Omit<OutboundRequest, 'signal' | 'dispatcher'>;

export interface ServiceAnswer extends Omit<OutboundAnswer, 'ok' | 'body'> {
  bytes: Buffer;
  /** The parsed answer; undefined if it is not JSON. */
  body: unknown;
}

/**
 * Makes the function that asks the service. It asks again when there is no answer, and after 408, 425, 429
 * and any 5xx.
 */
export function createServiceClient({ url, token, retryForMs, isPatient, onWait }: ServiceClientSettings) {
  const own = { accept: 'application/json', authorization: token };
  let hasAnswered = false;
  return async function ask(path: string, init: ServiceRequest = {}): Promise<ServiceAnswer> {
    const until = performance.now() + (retryForMs ?? Infinity);
    const asked = { ...init, headers: { ...own, ...init.headers } };
    for (let failures = 1; ; failures++) {
      const { answer, why, cure, retryAfter, error } = await tryOnce(`${url}${path}`, asked);
      hasAnswered ||= error === undefined;
      if (answer && !(isPatient && answer.status === 401)) return answer;
      const hopeless = hasAnswered ? undefined : whyUnreachable(url, error);
      if (hopeless && !isPatient) throw hopeless;
      const left = until - performance.now();
      if (left <= 0) throw givenUp(why, cure, retryForMs!);
      const waitMs = Math.min(retryAfter ?? retryDelay(failures, Math.random()), LONGEST_WAIT_MS, left);
      const said = hopeless ? [hopeless.message, hopeless.advice] : [why, answer ? TOKEN_CURE : cure];
      onWait(said.filter(Boolean).join('; '), waitMs);
      await sleep(waitMs);
    }
  };
}

interface Attempt {
  answer?: ServiceAnswer;
  why: string;
  cure?: string;
  retryAfter?: number | undefined;
  /** Why there was no answer at all. */
  error?: unknown;
}

async function tryOnce(url: string, init: ServiceRequest): Promise<Attempt> {
  const { sendRequest, wholeOf, wordFor } = await import('../../outbound/send-request.js');
  try {
    const { status, headers, body } = await sendRequest(url, {
      ...init,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const bytes = await wholeOf(body, MOST_BYTES);
    const why = `the service answered ${status}`;
    if (status < 500 && !AGAIN.has(status))
      return { why, answer: { status, headers, bytes, body: parseJson(bytes.toString()) } };
    return { why, retryAfter: parseRetryAfter(headers['retry-after'], Date.now()) };
  } catch (error) {
    return { ...whyNoAnswer(error, wordFor(error)), error };
  }
}

const givenUp = (why: string, cure = 'check the address', retryForMs: number) =>
  new CliError(
    `${why}, for ${formatCadence(retryForMs)}`,
    `${cure}; run the same command to resume`,
    EXIT.unavailable,
  );
