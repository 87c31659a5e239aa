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

export interface Forwarded {
  isConfirmed: boolean;
  /** "200 in 12 ms" */
  said: string;
}

/** Posts a page to a receiver as the service would. */
export async function forwardPage(
  target: { url: string; authorization: string | undefined },
  { headers, body }: CollectedPage,
): Promise<Forwarded> {
  const kept = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  const started = performance.now();
  try {
    const answer = await fetch(`${target.url.replace(/\/+$/, '')}/feed`, {
      method: 'POST',
      headers: [
        ...kept,
        ['user-agent', 'grain-data-exchange'],
        ...(target.authorization === undefined
          ? []
          : [['authorization', target.authorization] as [string, string]]),
      ],
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    const took = Math.round(performance.now() - started);
    return { isConfirmed: answer.ok, said: `${answer.status} in ${took} ms` };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    const why = name === 'TimeoutError' ? 'no answer within 30 s' : (cause?.code ?? cause?.message ?? name);
    return { isConfirmed: false, said: why };
  }
}
