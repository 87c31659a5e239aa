import { withoutEndSlashes } from '../../domain/text/without-end-slashes';
import { drain, sendRequest, wordFor } from '../../outbound/send-request';
import type { CollectedPage } from './feed-client';

const TIMEOUT_MS = 30_000; // as long as the service waits when it posts a page

const HEADERS = [
  'content-type',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-channel-slug',
  'x-entity-type',
  'x-delivery-id',
  'x-feed-epoch',
  'x-request-id',
];

/** Posts a page to a receiver as the service would. @returns with what it said: "200 in 12 ms" */
export async function forwardPage(
  target: { url: string; authorization: string | undefined },
  { headers, body }: CollectedPage,
): Promise<{ isConfirmed: boolean; said: string }> {
  const kept = Object.entries(headers).filter(([name]) => HEADERS.includes(name));
  const started = performance.now();
  try {
    const {
      ok,
      status,
      body: answer,
    } = await sendRequest(`${withoutEndSlashes(target.url)}/feed`, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(kept),
        'user-agent': 'grain-data-exchange',
        ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await drain(answer);
    const took = Math.round(performance.now() - started);
    return { isConfirmed: ok, said: `${status} in ${took} ms` };
  } catch (error) {
    const why = wordFor(error);
    return { isConfirmed: false, said: why === 'TimeoutError' ? 'no answer within 30 s' : why };
  }
}
