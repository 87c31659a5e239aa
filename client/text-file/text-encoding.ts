/** How a text file is written. */
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

interface Mark {
  bytes: Buffer;
  encoding: Encoding | 'UTF-32';
}

// UTF-32LE's mark begins with that of UTF-16LE, so it comes first.
const MARKS: readonly Mark[] = [
  { bytes: Buffer.from([0xff, 0xfe, 0, 0]), encoding: 'UTF-32' },
  { bytes: Buffer.from([0, 0, 0xfe, 0xff]), encoding: 'UTF-32' },
  { bytes: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'UTF-8' },
  { bytes: Buffer.from([0xff, 0xfe]), encoding: 'UTF-16LE' },
  { bytes: Buffer.from([0xfe, 0xff]), encoding: 'UTF-16BE' },
];

export const LONGEST_MARK = 4;

/** The byte order mark that a file begins with, if any. */
export const markOf = (bytes: Buffer): Mark | undefined =>
  MARKS.find((mark) => bytes.subarray(0, mark.bytes.length).equals(mark.bytes));

interface Decoded {
  /** As UTF-8. The bytes of a UTF-8 file are not validated yet. */
  text: Buffer;
  /** The number of decoded bytes, without an incomplete character at the end. */
  used: number;
  /** Half a surrogate pair follows the text. */
  isBroken: boolean;
}

export function decode(bytes: Buffer, encoding: Encoding): Decoded {
  if (encoding !== 'UTF-8') return fromUtf16(bytes, encoding === 'UTF-16BE');
  const used = endOfWhole(bytes);
  return { text: bytes.subarray(0, used), used, isBroken: false };
}

function fromUtf16(bytes: Buffer, isBigEndian: boolean): Decoded {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  if (isBigEndian) even.swap16();
  const units = even.toString('utf16le');
  const whole = units.replace(/[\ud800-\udbff]$/, '');
  const half = whole.search(/\p{Surrogate}/u); // with `u`, surrogates of a pair do not match
  const text = Buffer.from(half === -1 ? whole : whole.slice(0, half));
  return { text, used: whole.length * 2, isBroken: half !== -1 };
}

/** The end of the last complete character. The rest may be the beginning of another one. */
function endOfWhole(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    if ((bytes[at]! & 0xc0) === 0x80) continue;
    return utf8LengthAt(bytes, at) > back ? at : bytes.length;
  }
  return bytes.length;
}

/** The length of a character in bytes, by its first byte. */
export function utf8LengthAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]!;
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

// DOS programs write these, and Node does not know them. The upper half of each, from 0x80.
const DOS: Record<string, string> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};

/** Decodes piece by piece; what begins a character at the end of one is kept for the next. @throws RangeError for an unknown encoding */
export function decoderOf(encoding: string): (bytes?: Buffer) => string {
  const upper = DOS[encoding.toLowerCase().replace(/^(?:ibm|cp)-?/, 'cp')];
  if (upper === undefined) {
    const decoder = new TextDecoder(encoding);
    return (bytes) => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
  }
  return (bytes) =>
    (bytes?.toString('latin1') ?? '').replace(/[\u0080-\u00ff]/g, (sign) => upper[sign.charCodeAt(0) - 128]!);
}
