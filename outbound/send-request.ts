import {
  Agent,
  buildConnector,
  type Dispatcher,
  EnvHttpProxyAgent,
  Pool,
  request,
  setGlobalDispatcher,
} from 'undici';
import type { Readable } from 'node:stream';
import { overInterimAnswers } from './interim-answers';

const DRAIN = { drainMs: 1_000, drainBytes: 64 * 1024 };

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  signal: AbortSignal;
  /** For an address that is not the operator's own: an agent that guards it (docs/decisions/0010). */
  dispatcher?: Dispatcher;
}

type AnswerBody = Dispatcher.ResponseData['body'];

export interface OutboundAnswer {
  status: number;
  /** 2xx */
  ok: boolean;
  /** The names are in lower case. */
  headers: Record<string, string>;
  body: AnswerBody;
}

let ownAgent: Dispatcher | undefined;

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, each empty where it is not set. */
export interface Proxies {
  http: string;
  https: string;
  none: string;
}

// A service or a receiver on this machine is reached directly, whatever NO_PROXY says.
const HERE = 'localhost,127.0.0.1,[::1]';

const connect = () => overInterimAnswers(buildConnector({}));

/** An error of a proxy, and not of what lies behind it: of the connection to it, or the status by which it refuses. */
export interface OfProxy {
  proxy?: { host: string; settings: string; status?: number };
}

/** Sends what has no dispatcher of its own through the proxies of a company’s network, from then on. */
export function goThrough({ http, https, none }: Proxies): void {
  const noProxy = none === '*' ? none : `${none},${HERE}`;
  if (!http && !https) return;
  const settingsOf = ({ href }: URL) =>
    Object.entries({ HTTPS_PROXY: https, HTTP_PROXY: http })
      .flatMap(([name, value]) => (value && new URL(value).href === href ? name : []))
      .join(' and ');
  ownAgent = new EnvHttpProxyAgent({
    ...{ httpProxy: http, httpsProxy: https, noProxy, connect: connect() },
    clientFactory: (url, options) => poolTo(url, options, settingsOf(url)),
  });
  setGlobalDispatcher(ownAgent); // for the samples, which fetch
}

function poolTo(url: URL, options: object, settings: string): Pool {
  const pool = new Pool(url.origin, options);
  const ask = pool.connect.bind(pool) as (
    asked: Dispatcher.ConnectOptions,
  ) => Promise<Dispatcher.ConnectData>;
  const refused = (error: Error, status?: number) =>
    Object.assign(error, { proxy: { host: url.host, settings, ...(status && { status }) } });
  return Object.assign(pool, {
    async connect(asked: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
      const answer = await ask(asked).catch((error: NodeJS.ErrnoException) => {
        // undici would ask a proxy that closes the connection again at once, for ever.
        const isClosed = error.code === 'UND_ERR_SOCKET';
        throw refused(isClosed ? Object.assign(new Error(error.message), { code: 'ECONNRESET' }) : error);
      });
      if (answer.statusCode === 200) return answer;
      answer.socket.on('error', () => {}).destroy();
      throw refused(new Error(`the proxy answered ${answer.statusCode} to CONNECT`), answer.statusCode);
    },
  });
}

/**
 * Sends every request of this service and of `gdx`, so that all of them treat answers alike, on any port:
 * interim answers are skipped, and a redirect is an answer like any other and is not followed. The caller
 * reads or drains the body.
 * @throws InterimFlood, the signal's reason, errors of undici and of the connection
 */
export async function sendRequest(
  url: string,
  { method = 'GET', headers, body = '', signal, dispatcher }: OutboundRequest,
): Promise<OutboundAnswer> {
  const answer = await request(url, {
    dispatcher: dispatcher ?? (ownAgent ??= new Agent({ connect: connect() })),
    method,
    headers: { 'accept-encoding': 'identity', ...headers }, // answers are not decompressed here
    ...(body && { body }),
    signal,
  });
  const { statusCode: status, body: answered } = answer;
  return { status, ok: status >= 200 && status < 300, headers: valuesOf(answer.headers), body: answered };
}

/** The whole of a body that has at most so many bytes. @throws AnswerTooLarge, and as `sendRequest` */
export async function wholeOf(body: AnswerBody, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > mostBytes) throw new AnswerTooLarge(`an answer of more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** No service of ours answers so much. */
export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge';
}

/** The status of a GET. @throws as `sendRequest` */
export async function statusOf(url: string, timeoutMs: number): Promise<number> {
  const { status, body } = await sendRequest(url, { signal: AbortSignal.timeout(timeoutMs) });
  await drain(body);
  return status;
}

/**
 * Header values without the blanks and tabs around them, which are not part of a value. The values of a
 * repeated header become a list (RFC 9110, 5.3 and 5.5).
 */
const valuesOf = (headers: Dispatcher.ResponseData['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, valueOf([value ?? []].flat())]));

// Matches only from the first blank of a run: otherwise a long run would take quadratic time.
const AROUND = /^[ \t]+|(?<![ \t])[ \t]+$/g;
export const valueOf = (lines: string[]) => lines.map((line) => line.replace(AROUND, '')).join(', ');

/** Why a request was not answered, in one word. Never the message: it may quote the address, which can be a secret. */
export function wordFor(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}

/**
 * Reads a body of which little or nothing is needed, within limits. Beyond them its socket is destroyed. It
 * never throws.
 */
export async function drain(body: AnswerBody, { drainMs, drainBytes } = DRAIN): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), drainMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > drainBytes) break;
    }
  } catch {
    // the status is enough
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
