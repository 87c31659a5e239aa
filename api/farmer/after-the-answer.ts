const underWay = new Set<Promise<void>>();

/**
 * Lets work continue after the answer to its request, so that the answer's time reveals nothing about the
 * work.
 * @param work must never reject
 */
export function afterTheAnswer(work: Promise<void>): void {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
}

/** Resolves when all such work has ended. */
export async function whenAllIsDone(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}
