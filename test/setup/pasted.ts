/** What no screen shows, of every kind that pasted text was seen to bring along. */
export const UNSEEN = [
  ...[
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u180e',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202b',
  ],
  ...[
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\ufe0e',
    '\ufe0f',
    '\ufeff',
  ],
] as const;

/** Blanks that are none of the keyboard. */
export const BLANKS = ['\u00a0', '\u2007', '\u2009', '\u202f', '\u3000'] as const;

const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

/** A text with a mark around it, at its end, and between all of its characters; and in full width. */
export const pastedForms = (text: string): string[] => [
  ...UNSEEN.flatMap((mark) => [`${mark}${text}${mark}`, `${text}${mark}`, text.split('').join(mark)]),
  ...BLANKS.map((blank) => `${blank}${text}${blank}`),
  fullWidth(text),
];
