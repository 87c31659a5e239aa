/** The demo was asked to end. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Rejects with Interrupted on Ctrl-C or another termination signal. */
export function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Interrupted(signal)));
    }
  });
  interrupted.catch(() => undefined);
  return interrupted;
}
