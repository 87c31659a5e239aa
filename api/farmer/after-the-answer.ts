const underWay = new Set<Promise<void>>();

/** Work that continues when its request is answered, so that the answer's time says nothing about it. It never rejects. */
export function afterTheAnswer(work: Promise<void>): void {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
}

/** Resolves when all of it has ended. */
export async function whenAllIsDone(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}
