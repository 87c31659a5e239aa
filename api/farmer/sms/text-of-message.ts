const LONGEST = 40;

/**
 * A customer's name for a text, without characters that a phone turns into a link or that could look like a line of
 * ours.
 */
export function nameInMessage(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{M}\p{N}&'’,.()-]+/gu, ' ')
    .replace(/\.(?=\S)/g, ' ') // a phone would take a word with a point for an address
    .trim();
  const letters = Array.from(plain);
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('').trim()}...` : plain;
}

// The GSM 03.38 alphabet without its escapes: 153 characters a part. A single other character reduces that to 67.
const GSM = /[A-Za-z0-9 \n@£$¥èéùìòÇØøÅåÆæßÉ!"#%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà_]/;

/** Replaces characters outside of the GSM alphabet, so that the text stays in two parts: `código` becomes `codigo`. */
export function plainForText(text: string): string {
  const ascii = text.normalize('NFC').replace(/’/g, "'");
  return Array.from(ascii, (one) => (GSM.test(one) ? one : gsmOf(one))).join('');
}

const gsmOf = (one: string) =>
  Array.from(one.normalize('NFD'))
    .filter((part) => GSM.test(part))
    .join('');
