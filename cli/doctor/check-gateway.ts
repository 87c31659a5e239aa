import { Readable } from 'node:stream';
import { drain, sendRequest } from '../../outbound/send-request';
import { type DoctorFinding, ok, warn } from './doctor-finding';

const ENOUGH_MS = 3_000;

/**
 * Whether the gateway before the API takes requests in whole (docs/deploy.md, The gateway). Two bytes are announced and one is
 * sent, without a token: a gateway that buffers waits for the other, and the API answers 401 at once.
 */
export async function checkGateway(base: string): Promise<DoctorFinding> {
  // Ends with the request.
  const half = Readable.from(
    (async function* () {
      yield Buffer.from('{');
      await new Promise(() => {});
    })(),
  );
  try {
    const { status, body } = await sendRequest(`${base}/api/v1/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '2' },
      body: half,
      signal: AbortSignal.timeout(ENOUGH_MS),
    });
    await drain(body);
    return warn(
      'gateway',
      `${base} answers a push (${status}) before it has all of it: slow callers hold connections of the API`,
      'have the gateway take requests in whole (nginx: `proxy_request_buffering on`), or limit the connections of an address: docs/deploy.md, “The gateway”',
    );
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return ok('gateway', 'takes requests in whole');
    return warn('gateway', `not looked at: ${base} closed the connection`, 'look at the gateway’s log');
  } finally {
    half.destroy();
  }
}
