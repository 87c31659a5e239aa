import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { platform } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { CliError, EXIT } from '../cli-error';

// Names that the system forgets with the process that holds them, however it ends. Others have none.
const NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: '\0', win32: '\\\\.\\pipe\\' };
const AGAIN_MS = 250;
const PATIENCE_MS = 15 * 60_000;

/**
 * Waits until no other process of this machine does the same: of two pushes of one type, a file that was held up would else be written
 * over a newer one, batch by batch.
 * @returns what ends the turn
 * @throws CliError after a quarter of an hour
 */
export async function takeTurn(kind: string, onWait: () => void): Promise<() => void> {
  const named = NAMES[platform()];
  if (named === undefined) return () => undefined;
  const name = `${named}gdx-push-${createHash('sha256').update(kind).digest('hex').slice(0, 32)}`;
  const until = performance.now() + PATIENCE_MS;
  for (let tries = 0; ; tries++) {
    const turn = createServer().unref();
    try {
      await once(turn.listen(name), 'listening');
      return () => void turn.close();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return () => undefined;
      if (performance.now() > until)
        throw new CliError(
          'another gdx on this machine does the same and has not ended',
          'end it if it hangs, then run the same again',
          EXIT.stopped,
          { cause },
        );
    }
    if (tries === 0) onWait();
    await setTimeout(AGAIN_MS);
  }
}
