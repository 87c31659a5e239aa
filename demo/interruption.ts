/** Somebody wants the demo to end. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Rejects with Interrupted on Ctrl-C, or when the process is asked to end in another way. */
export function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Interrupted(signal)));
    }
  });
  interrupted.catch(() => undefined);
  return interrupted;
}
