import { request } from 'undici';
import { NotTaken } from './text-sender';

const TIMEOUT_MS = 8_000;

/**
 * Posts a text or a call to a provider. The response is not passed on, since providers quote the number in their errors.
 * @throws NotTaken
 */
export async function postMessage(
  provider: string,
  url: string,
  options: { headers: Record<string, string>; body: string },
): Promise<void> {
  const status = await post(url, options).catch((error: unknown) => {
    const { code, name } = error as NodeJS.ErrnoException;
    throw new NotTaken(`${provider} did not answer (${code ?? name})`);
  });
  if (status < 200 || status > 299) throw new NotTaken(`${provider} answered ${status}`);
}

async function post(url: string, options: { headers: Record<string, string>; body: string }) {
  const answer = await request(url, {
    method: 'POST',
    ...options,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.body.dump();
  return answer.statusCode;
}
