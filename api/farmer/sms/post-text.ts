import { request } from 'undici';
import { TextNotTaken } from './text-sender';

const PATIENCE_MS = 8_000;

/**
 * Posts a text to a provider. What it answers is not passed on: providers quote the number in their errors.
 * @throws TextNotTaken
 */
export async function postText(
  provider: string,
  url: string,
  options: { headers: Record<string, string>; body: string },
): Promise<void> {
  const status = await post(url, options).catch((error: unknown) => {
    const { code, name } = error as NodeJS.ErrnoException;
    throw new TextNotTaken(`${provider} did not answer (${code ?? name})`);
  });
  if (status < 200 || status > 299) throw new TextNotTaken(`${provider} answered ${status}`);
}

async function post(url: string, options: { headers: Record<string, string>; body: string }) {
  const answer = await request(url, {
    method: 'POST',
    ...options,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body.dump();
  return answer.statusCode;
}
