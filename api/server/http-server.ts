import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { OUTLASTS_GATEWAYS_MS } from '../../domain/settings/outlasts-gateways';
import { HttpError } from '../http/http-error';
import { gatherPieces } from './gather-pieces';
import { addressKey } from '../limits/rate-limit';
import { requestIdOf } from '../http/request-id';
import { createShares } from '../limits/shares';

const SETTINGS = {
  // Against slow and idle callers (SECURITY.md). The check is frequent enough to close them within 15 s.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: true, // finds the connections of a gateway that is gone
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 64 * 1024,
  requireHostHeader: false, // checked below, so that the response has the contract's shape
};
// How long a connection without a request is kept, and what callers are told: a shorter time, as undici checks its idle connections
// once a second, and could otherwise send a request into one that is just closing. No gateway reads what it is told.
const KEPT = {
  byCallers: { ms: 8_000, toldSeconds: 5 },
  byGateways: { ms: OUTLASTS_GATEWAYS_MS, toldSeconds: 3_600 },
};
// A response that its client does not read is dropped after twice this time. One that waits for MongoDB comes sooner.
const UNREAD_ANSWER_MS = 30_000;
// How long a caller may take to read an answer that is whole: a page is held in memory until then.
const READ_MS = 3 * 60_000;
// How long a caller has to read an answer that came before the rest of its request. Then its connection is closed: it could
// be held for as long as a body drips.
const LINGER_MS = 5_000;
const MAX_CONNECTIONS = 1024;
// Of all headers but Cookie. Others of the operator's sites fill that, and a farmer cannot do anything about it.
const MOST_HEADER_BYTES = 16 * 1024;

/**
 * The limit of connections of one address. It does not apply behind a proxy, as all connections have the
 * proxy's address.
 */
interface ConnectionShare {
  trustedProxies: number;
  ofAddress: number;
}

// The headers of content negotiation. Koa's library reads them in quadratic time. Browsers send some hundred characters, and
// a longer header counts as none.
const NEGOTIATION = ['accept', 'accept-encoding', 'accept-language'];
const LONGEST_NEGOTIATION = 1_024;
// Koa reads the parameters of a query in quadratic time, too. No address of ours has more than ten.
const MOST_PARAMETERS = 100;

/** The HTTP server with its limits. Even malformed requests get an error of the contract's shape. */
export function createHttpServer(listener: RequestListener, share: ConnectionShare): Server {
  const kept = share.trustedProxies === 0 ? KEPT.byCallers : KEPT.byGateways;
  const plainOnly: RequestListener = (req, res) => {
    res.setHeader('Keep-Alive', `timeout=${kept.toldSeconds}`);
    for (const name of NEGOTIATION)
      if ((req.headers[name]?.length ?? 0) > LONGEST_NEGOTIATION) req.headers[name] = undefined;
    gatherPieces(req);
    closeAfterEarlyAnswer(req, res);
    cutOffLateReader(res);
    const refusal = refusalOf(req);
    if (!refusal) listener(req, res);
    else answerAndClose(req.socket, refusal, requestIdOf(req.headers['x-request-id']));
  };
  const server = createServer({ ...SETTINGS, keepAliveTimeout: kept.ms }, plainOnly);
  // A client that closes its sending side still reads (RFC 9112, 9.6). Node's types do not know this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = 0; // Node would hide those behind the thousandth from the checks below; the bytes are bounded
  server.timeout = UNREAD_ANSWER_MS;
  if (share.trustedProxies === 0) server.on('connection', shareConnections(share.ofAddress));
  // `100 Continue` is sent once the body is wanted, so a refused caller does not send 16 MB.
  server.on('checkContinue', plainOnly);
  server.on('checkExpectation', plainOnly); // unknown expectations are ignored
  server.on('clientError', answerClientError);
  return server;
}

function closeAfterEarlyAnswer(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => {
    if (!req.complete) setTimeout(() => req.complete || req.socket.destroy(), LINGER_MS).unref();
  });
}

function cutOffLateReader(res: ServerResponse): void {
  res.once('prefinish', () => {
    if (res.socket?.writableLength === 0) return; // the kernel has the whole answer
    const late = setTimeout(() => res.destroy(), READ_MS).unref();
    res.once('close', () => clearTimeout(late));
  });
}

/** Closes connections over an address's limit at once, as `maxConnections` does over the total limit. */
function shareConnections(ofAddress: number): (socket: Socket) => void {
  const connections = createShares(ofAddress);
  return (socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    if (!connections.take(address)) return void socket.destroy();
    socket.once('close', () => connections.giveBack(address));
  };
}

function refusalOf(req: IncomingMessage): HttpError | undefined {
  if (!isPlainHttp(req))
    return new HttpError('MALFORMED_REQUEST', 'Send HTTP/1.1 with a path and one Host header.');
  if (headerBytes(req) > MOST_HEADER_BYTES)
    return new HttpError('HEADERS_TOO_LARGE', 'The headers are too large.');
  if (!req.url!.includes('&') || req.url!.split('&').length <= MOST_PARAMETERS) return undefined;
  return new HttpError('HEADERS_TOO_LARGE', `A query has at most ${MOST_PARAMETERS} parameters.`);
}

function headerBytes({ rawHeaders, url = '', headers: { cookie = '' } }: IncomingMessage): number {
  let sum = url.length - cookie.length;
  for (const text of rawHeaders) sum += text.length + 2;
  return sum;
}

/** Rejects what Node's parser accepts but a proxy in front of us may interpret as a different request. */
function isPlainHttp({ httpVersion, rawHeaders, url = '' }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  const isPath = url.startsWith('/') || url === '*';
  return isPath && (httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1);
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const answered = (socket as Duplex & { bytesWritten?: number }).bytesWritten;
  if (error.code === 'ECONNRESET' || !socket.writable || answered) socket.destroy();
  else answerAndClose(socket, toHttpError(error.code));
}

function answerAndClose(socket: Duplex, answer: HttpError, requestId = requestIdOf(undefined)): void {
  const body = JSON.stringify(answer.toBody(requestId));
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-ID: ${requestId}\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function toHttpError(code: string | undefined): HttpError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError('HEADERS_TOO_LARGE', 'The headers are too large.');
    default:
      return new HttpError('MALFORMED_REQUEST', 'This is not HTTP.');
  }
}
