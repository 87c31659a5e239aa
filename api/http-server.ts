import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { HttpError } from './http-error';

const SETTINGS = {
  // Against slow and idle callers (proof, security). The check runs often enough to close them within 15 s.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  requireHostHeader: false, // asked for below, and answered in the contract's form
};
const MAX_CONNECTIONS = 1024;

/** The HTTP server, with limits, answering in the contract's form even what never becomes a request. */
export function createHttpServer(listener: RequestListener): Server {
  const plainOnly: RequestListener = (req, res) => {
    if (isPlainHttp(req)) listener(req, res);
    else
      answerAndClose(req.socket, new HttpError('MALFORMED_REQUEST', 'Send HTTP/1.1 with one Host header.'));
  };
  const server = createServer(SETTINGS, plainOnly);
  server.maxConnections = MAX_CONNECTIONS;
  // `100 Continue` is sent when the body is wanted, so a refused caller keeps his 16 MB.
  server.on('checkContinue', plainOnly);
  server.on('checkExpectation', plainOnly); // nobody is refused for what else he expects
  server.on('clientError', answerClientError);
  return server;
}

/** False for what Node's parser lets through, and a proxy before us may take for another request than we do. */
function isPlainHttp({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const answered = (socket as Duplex & { bytesWritten?: number }).bytesWritten;
  if (error.code === 'ECONNRESET' || !socket.writable || answered) socket.destroy();
  else answerAndClose(socket, toHttpError(error.code));
}

function answerAndClose(socket: Duplex, answer: HttpError): void {
  const requestId = randomUUID();
  const body = JSON.stringify(answer.toBody(requestId));
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-ID: ${requestId}\r\n\r\n${body}`,
  );
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
