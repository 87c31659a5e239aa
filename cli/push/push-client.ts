import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatCadence } from '../../domain/cadence';
import { parseRetryAfter, retryDelay } from '../../domain/retry-delay';
import { CliError } from '../cli-error';
import { EXIT } from '../exit-codes';

const TIMEOUT_MS = 60_000; // docs/erp.md: a minute for a large request
const LONGEST_WAIT_MS = 60_000;
const AGAIN = new Set([408, 425, 429]);

const compressed = promisify(gzip);

export interface PushClientSettings {
  url: string;
  token: string;
  /** How long a request is tried again; undefined: for ever. */
  patienceMs: number | undefined;
  /** Told before each wait. */
  onWait: (why: string, waitMs: number) => void;
}

export interface ServiceAnswer {
  status: number;
  /** Of a JSON answer. */
  body: unknown;
}

export type PushClient = ReturnType<typeof createPushClient>;

/** Asks the service, again while it does not answer or asks for time. */
export function createPushClient({ url, token, patienceMs, onWait }: PushClientSettings) {
  async function ask(path: string, init: RequestInit): Promise<ServiceAnswer> {
    const began = Date.now();
    for (let failures = 1; ; failures++) {
      const { answer, why, retryAfter } = await tryOnce(`${url}${path}`, init);
      if (answer) return answer;
      if (patienceMs !== undefined && Date.now() - began > patienceMs) throw givenUp(why, patienceMs);
      const waitMs = Math.min(retryAfter ?? retryDelay(failures, Math.random()), LONGEST_WAIT_MS);
      onWait(why, waitMs);
      await sleep(waitMs);
    }
  }

  const headers = { accept: 'application/json', authorization: token };
  return {
    /** The same request id and body are stored once, however often they are sent. */
    async push(body: Buffer, requestId: string, dryRun: boolean): Promise<ServiceAnswer> {
      const sent = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-request-id': requestId,
      };
      const packed = await compressed(body, { level: 1 });
      const path = `/api/v1/push${dryRun ? '?dry_run=true' : ''}`;
      return ask(path, { method: 'POST', headers: { ...headers, ...sent }, body: packed });
    },
    /** The receipt of a push. */
    receipt: (requestId: string) => ask(`/api/v1/pushes/${encodeURIComponent(requestId)}`, { headers }),
  };
}

interface Attempt {
  answer?: ServiceAnswer;
  why: string;
  retryAfter?: number | undefined;
}

async function tryOnce(url: string, init: RequestInit): Promise<Attempt> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const { status } = response;
    const why = `the service answered ${status}`;
    if (status < 500 && !AGAIN.has(status)) return { why, answer: { status, body: parse(text) } };
    return { why, retryAfter: parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()) };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return { why: `the service does not answer (${cause?.code ?? cause?.message ?? name})` };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page, or none
  }
}

const givenUp = (why: string, patienceMs: number) =>
  new CliError(
    `${why}, for ${formatCadence(patienceMs)}`,
    'check the address; the same command again goes on where this one has stopped',
    EXIT.unavailable,
  );
