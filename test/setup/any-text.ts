import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Text of any characters, unpaired surrogates apart: `fc.string({ unit: 'binary' })` without the table of all
 * 1.1 million characters that it makes first, which takes a second.
 */
export const anyText = fc.string({
  unit: fc
    .nat(0x10ffff - SURROGATES.count)
    .map((nth) => String.fromCodePoint(nth < SURROGATES.from ? nth : nth + SURROGATES.count)),
});
