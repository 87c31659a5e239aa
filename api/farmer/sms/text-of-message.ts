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

// GSM 03.38 without its escapes: 153 characters a part. One character beside it makes that 67.
const GSM = /[A-Za-z0-9 \n@£$¥èéùìòÇØøÅåÆæßÉ!"#%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà_]/;

/** In characters that every text has: `código` becomes `codigo`, so that it stays in two parts. */
export function plainForText(text: string): string {
  const ascii = text.normalize('NFC').replace(/’/g, "'");
  return Array.from(ascii, (one) => (GSM.test(one) ? one : gsmOf(one))).join('');
}

const gsmOf = (one: string) =>
  Array.from(one.normalize('NFD'))
    .filter((part) => GSM.test(part))
    .join('');
