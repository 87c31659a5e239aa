/** In the place of `AbortSignal.timeout`: what is to end within so many milliseconds is over at once, anything longer never. */
export const overWithin =
  (most: number): typeof AbortSignal.timeout =>
  (ms) =>
    ms <= most ? AbortSignal.abort() : new AbortController().signal;
