const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

/** A text as other programs save it: Notepad, Windows PowerShell 5.1, Excel, editors of DOS. */
export const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE with a mark': utf16,
  'UTF-16BE with a mark': (text) => utf16(text).swap16(),
  'a final 0x1A': (text) => Buffer.from(`${text}\u001a`),
  'UTF-16LE and a final 0x1A': (text) => utf16(`${text}\u001a`),
};

export const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

/** A text as no program should save it, and what is said of it. */
export const BROKEN_ENCODINGS: Readonly<Record<string, [encode: (text: string) => Buffer, says: RegExp]>> = {
  'UTF-16LE without a mark': [
    (text) => Buffer.from(text, 'utf16le'),
    /a zero byte: the file is UTF-16 without a mark, or no text/,
  ],
  'UTF-16BE without a mark': [(text) => Buffer.from(text, 'utf16le').swap16(), /a zero byte/],
  'UTF-32LE': [
    (text) => Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from(text)]),
    /the file is UTF-32/,
  ],
  'UTF-32BE': [
    (text) => Buffer.concat([Buffer.from([0, 0, 0xfe, 0xff]), Buffer.from(text)]),
    /the file is UTF-32/,
  ],
  'half a character in UTF-16': [(text) => utf16(`${text}\ud83cx`), /half a character/],
  'the other half': [(text) => utf16(`${text}\udf3ex`), /half a character/],
  'UTF-16 of an odd length': [(text) => utf16(text).subarray(0, -1), /the file ends within a character/],
  'Windows-1252': [(text) => Buffer.from(`${text}\u00fc`, 'latin1'), /byte 0x.. is not UTF-8/],
  'a zero byte within': [(text) => Buffer.from(`${text}\0`), /a zero byte/],
};
