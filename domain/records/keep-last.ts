/**
 * What is made of a text, kept for the texts that were last asked for. What fails is not kept.
 * @param most how many of them
 */
export function keepLast<T>(most: number, make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>(); // the last one asked for at the end
  return (text) => {
    const value = kept.has(text) ? kept.get(text)! : make(text);
    kept.delete(text);
    kept.set(text, value);
    if (kept.size > most) kept.delete(kept.keys().next().value!);
    return value;
  };
}
