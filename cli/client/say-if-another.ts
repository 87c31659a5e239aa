import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { ServiceSettings } from '../connections';
import { note } from '../print';

const PATIENCE_MS = 3_000;

/** Says where the service offers another gdx.mjs than the one that runs. It never fetches it, and never fails. */
export async function sayIfAnother(words: readonly string[], settings: ServiceSettings): Promise<void> {
  const at = words.indexOf('--url');
  const url = ((at === -1 ? undefined : words[at + 1]) ?? settings.url).replace(/\/+$/, '');
  const own = process.argv[1];
  if (!url || !own?.endsWith('.mjs')) return;
  try {
    const { sendRequest } = await import('../../outbound/send-request.js');
    const { ok, body } = await sendRequest(`${url}/downloads/gdx.mjs.sha256`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const offered = /^[0-9a-f]{64}/.exec(await text(body))?.[0];
    if (
      !ok ||
      offered === undefined ||
      offered ===
        createHash('sha256')
          .update(await readFile(own))
          .digest('hex')
    )
      return;
    note(`The service offers another gdx.mjs than this one: ${url}/downloads/gdx.mjs`);
  } catch {
    // the records are pushed all the same
  }
}
