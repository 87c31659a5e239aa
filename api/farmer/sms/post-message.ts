import { drain, sendRequest, wordFor } from '../../../outbound/send-request';
import { NotTaken } from './text-sender';

const TIMEOUT_MS = 8_000;

/**
 * Posts a text or a call to a provider. The response is not passed on, since providers repeat the number in their
 * errors.
 * @throws NotTaken when the provider does not accept it
 */
export async function postMessage(
  provider: string,
  url: string,
  options: { headers: Record<string, string>; body: string },
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = sendRequest(url, { method: 'POST', ...options, signal });
  const { ok, status, body } = await sent.catch((error: unknown) => {
    throw new NotTaken(`${provider} did not answer (${wordFor(error)})`);
  });
  await drain(body);
  if (!ok) throw new NotTaken(`${provider} answered ${status}`);
}
