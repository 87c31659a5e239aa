const LONGEST = 40;

/** A customer's name without anything that a phone makes a link of, or that could pass for a line of ours. */
export function nameInMessage(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{M}\p{N}&'’,.()-]+/gu, ' ')
    .replace(/\.(?=\S)/g, ' ') // a point within a word would make an address of it
    .trim();
  const letters = Array.from(plain);
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('').trim()}...` : plain;
}
