import { readDocs } from './read-docs';

// A number that somebody may rely on stands in docs/contract.md, whose tests name it. Who reads a guide has no contract at hand, and a
// security desk reads SECURITY.md alone: there a number may stand again, and is compared.

const pages = new Map(readDocs().map(({ file, text }) => [file, text.replace(/\s+/g, ' ')]));
const promise = (id: string) =>
  pages
    .get('docs/contract.md')!
    .split(`- **${id}** `)[1]!
    .split(/ - \*\*[A-Z]\d+\*\*/)[0]!;

/** What a page says again of a promise. */
const SAID_AGAIN: Readonly<Record<string, readonly (readonly [id: string, words: string])[]>> = {
  'docs/erp.md': [
    ['E3', '1 to 100 commands, at most 5,000 records'],
    ['A8', 'at most 16 MiB (gzip'],
    ['E4', 'a single record at most 15 MiB'],
    ['A7', '100,000 values. A body has at most 1,000,000 values and 50,000 different member names'],
    ['E8', 'Receipts are kept for 72 hours'],
    ['E11', 'answered within 25 s of its last byte'],
    ['E18', '1,000 records, or as many as `limit` says, at most 5,000'],
  ],
  'docs/files.md': [['E8', 'run the same again within 72 hours']],
  'docs/errors.md': [
    ['A8', 'A push has at most 16 MiB, and keeps at most 32 MiB'],
    ['A10', '6,000 requests a minute'],
    ['A10', 'one for every 1,000 values, 40 records or 64 KiB'],
    ['A8', 'and have 32 MiB'],
    ['A13', '256 requests in progress'],
  ],
  'docs/customer.md': [
    ['C12', 'Answer within 30 s'],
    ['C12', 'You have 5 s to take the connection'],
    ['C12', 'no answer within 30 s'],
    ['C9', '1 s to 1 h'],
    ['C14', 'After 24 hours of it the channel is paused'],
    ['C14', 'After five days of nothing but failures the channel is paused'],
    ['C16', 'Counting stops after two seconds'],
    ['E11', 'An answer begins within 25 s'],
    ['A10', 'You may send 6,000 requests a minute'],
    ['A13', 'and 32 at the same time'],
    ['A10', '30,000 a minute, of which 300 with a wrong key'],
    ['C15', '60 a minute, those of your page included'],
    ['C15', '600 a minute, those of your page included'],
    ['C15', '20 times an hour at most'],
    ['C22', '1 to 2,000 ranges'],
    ['C23', '1 to 1,000 ids in a body'],
    ['C23', 'an account of at most 100,000 records'],
    ['C30', '10,000 tickets and 10,000 settlements'],
    ['O18', 'ends after 30 minutes without a page, after 8 hours'],
    ['C6', 'the old one signs as well for 24 hours'],
    ['C26', 'after 1, 2, 4 ... minutes'],
    ['C26', 'given up after three days'],
    ['C26', 'for seven days after it was replaced'],
  ],
  'docs/signature.md': [
    ['C6', 'for 24 hours after the secret is changed'],
    ['C6', 'for 24 hours both old and new sign'],
  ],
  'docs/changes.md': [['C6', 'signs as well for 24 hours']],
  'docs/farmer-helper.md': [
    ['F3', 'works for ten minutes'],
    ['F3', 'wait 30 seconds'],
    ['F3', 'One number gets three codes in ten minutes and ten a day'],
    ['F3', '30 an hour and 100 a day'],
    ['F14', 'After 30 minutes without a tap'],
    ['F14', '8 hours in all'],
  ],
  'SECURITY.md': [
    ['E8', '| push_receipts | no record | 72 hours |'],
    ['O14', '| 30 days; failed ones `GDX_RETENTION_DAYS`'],
    ['F14', '| the phone, sealed | 30 minutes without a page, 8 hours at most'],
    ['O18', 'until it is shown | 30 minutes without a page, 8 hours at most'],
    ['O14', '90 days after a workflow has closed'],
  ],
};

const figuresOf = (text: string) =>
  text.match(/(?<![\w.-])\d+(?:[,.]\d+)*(?![\w-])|\b(?:two|three|five|seven|ten)\b/g) ?? [];

describe.each(Object.entries(SAID_AGAIN))('%s', (page, said) => {
  test.each(said)('says of %s: %s', (id, words) => {
    expect(pages.get(page)).toContain(words);
    expect(figuresOf(words).length).toBeGreaterThan(0);
    expect(figuresOf(promise(id))).toEqual(expect.arrayContaining(figuresOf(words)));
  });
});

// What happened, was decided or was measured keeps the numbers of its day.
const isHistory = (file: string) => /^docs\/(decisions\/|proof\.md)|^CHANGELOG\.md/.test(file);
const isGuide = (file: string) => file in SAID_AGAIN && file !== 'SECURITY.md';
const OTHERS = [...pages].filter(
  ([file]) => file !== 'docs/contract.md' && !isGuide(file) && !isHistory(file),
);
// Of forms there are 16 MiB too, and a law has 72 hours.
const OWNED =
  /\b(25 s|16 MiB(?! of them)|32 MiB|128 MiB|72 hours(?! to the authority)|6,000 requests|24 hours of)\b/g;

const besides = (file: string, text: string) =>
  (SAID_AGAIN[file] ?? []).reduce((rest, [, words]) => rest.replace(words, ''), text);

test('every other document links the promise', () => {
  expect(OTHERS.length).toBeGreaterThan(5);
  const again = OTHERS.map(([file, text]) => [file, besides(file, text).match(OWNED)]);
  expect(again.filter(([, numbers]) => numbers)).toEqual([]);
});
