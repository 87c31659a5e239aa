import { withoutEndSlashes } from '../domain/text/without-end-slashes';
import type { ServiceSettings } from './service/open-service-settings';
import { note } from './print';

const PATIENCE_MS = 3_000;
const LONGEST = 1_024;

/**
 * Says when the service offers a later release of gdx.mjs than the one that runs. It never fetches it, and
 * never fails.
 */
export async function sayIfNewer(
  own: string,
  words: readonly string[],
  settings: ServiceSettings,
): Promise<void> {
  const at = words.indexOf('--url');
  const url = withoutEndSlashes((at === -1 ? undefined : words[at + 1]) ?? settings.url);
  if (!url) return;
  try {
    const { sendRequest, wholeOf } = await import('../outbound/send-request.js');
    const { ok, body } = await sendRequest(`${url}/downloads/gdx.mjs.version`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const offered = (await wholeOf(body, LONGEST)).toString().trim();
    if (ok && isLater(offered, own))
      note(`The service offers gdx.mjs ${offered}, and this is ${own}: ${url}/downloads/gdx.mjs`);
  } catch {
    // the command itself has succeeded
  }
}

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/** Whether the first release is later than the second. Text that is not a release is never later. */
export const isLater = (one: string, other: string): boolean =>
  VERSION.test(one) && VERSION.test(other) && one.localeCompare(other, 'en', { numeric: true }) > 0;
