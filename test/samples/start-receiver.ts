import { existsSync, readFileSync } from 'node:fs';
import { startNode } from '../setup/processes';

/** The receiver of the customer's guide, as its own process. */
export async function startReceiver(signingSecret: string, held: string, port = 0) {
  const env = { ...process.env, SIGNING_SECRET: signingSecret, HELD: held, PORT: String(port) };
  const { heard, lines, end } = startNode(['docs/samples/receiver.mjs'], env);
  const listening = /listening on (\d+)/.exec(await heard('listening on'))?.[1];
  return {
    port: Number(listening),
    url: `http://127.0.0.1:${listening}`,
    lines,
    /** By entity type, then by id. */
    records: (): Record<
      string,
      Record<string, { name: string; updated_at: string; deleted_at: string | null }>
    > => (existsSync(held) ? JSON.parse(readFileSync(held, 'utf8')).records : {}),
    kill: () => end('SIGKILL'),
  };
}
