import http2 from 'node:http2';
import { setTimeout } from 'node:timers/promises';
import { serveHere } from '../setup/serve-here';
import { closeAtEnd } from '../setup/close-at-end';

const PERMISSION_DENIED = '7';
// What a credential of Temporal Cloud may not call: all of the operator service, and what makes namespaces.
const DENIED = /\/temporal\.api\.operatorservice\.|WorkflowService\/(Register|Update|Deprecate)Namespace$/;

const HEARTBEAT = /\/RecordActivityTaskHeartbeat$/;

/**
 * Temporal behind another address.
 * @param denies behind a credential that may call nothing of an operator's
 */
export async function startTemporalProxy(address: string, { denies = false } = {}) {
  const denied: string[] = [];
  const late = { byMs: 0, waiting: 0 };
  let upstream = connect();
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path']);
    if (denies && DENIED.test(path)) {
      denied.push(path);
      const status = { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'denied' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
      return;
    }
    const forwarded = upstream.request({ ...headers, ':authority': address });
    let trailers: http2.IncomingHttpHeaders = {};
    forwarded.on('trailers', (given) => (trailers = given)); // they may come before the answer is passed on
    forwarded.on('response', async (answer, flags) => {
      if (HEARTBEAT.test(path) && late.byMs > 0) {
        late.waiting++;
        await setTimeout(late.byMs, undefined, { ref: false });
        late.waiting--;
      }
      if (stream.destroyed) return;
      const isAll = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0; // an error, in its headers
      if (isAll) return stream.respond(answer, { endStream: true });
      stream.respond(answer, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      forwarded.pipe(stream);
    });
    stream.pipe(forwarded);
    const close = () => (forwarded.close(), stream.close());
    stream.on('aborted', close).on('error', close);
    forwarded.on('error', close);
  });
  /** Temporal ends each connection after five minutes, and says so before. */
  function connect(): http2.ClientHttp2Session {
    const session = http2.connect(`http://${address}`);
    session.on('goaway', () => {
      upstream = connect();
      session.close();
    });
    return session;
  }
  const { port } = await serveHere(server);
  closeAtEnd(() => upstream.destroy());
  return {
    address: `127.0.0.1:${port}`,
    denied,
    /** By how much the answers to heartbeats are late, and how many are on their way. */
    late,
  };
}
