import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorsOf } from './anchors';
import { brokenCitations } from './citations';
import { checkout } from '../../tools/local/checkout';
import { type Doc, readDocs, readSources } from './read-docs';
import { slowTest } from '../setup/cases';

function broken({ file, text }: Doc): string[] {
  const links = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link]) => link!,
  );
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [target, anchor] = link.split('#') as [string, string | undefined];
      const full = path.join(checkout, path.dirname(file), target);
      if (!existsSync(full)) return true;
      const page = target === '' ? text : anchor ? readFileSync(full, 'utf8') : '';
      return anchor !== undefined && !anchorsOf(page).includes(anchor);
    });
}

test.each(readDocs().map((doc) => [doc.file, doc] as const))(
  'every link of %s leads somewhere',
  (_file, doc) => {
    expect(broken(doc)).toEqual([]);
  },
);

test('a link that leads nowhere is noticed', () => {
  const text = '# One\n[a](README.md) [b](no-such.md) [c](#two) [d](#one) [e](https://example.com)';
  expect(broken({ file: 'page.md', text })).toEqual(['no-such.md', '#two']);
});

// But for this file, which makes up some that are broken.
const sources = readSources().filter(({ file }) => file !== 'test/docs/links.test.ts');

slowTest('every citation in code, tests and documents leads somewhere in this repository', () => {
  expect(sources.length).toBeGreaterThan(500);
  const broken = sources.flatMap((doc) => brokenCitations(doc).map((citation) => `${doc.file}: ${citation}`));
  expect(broken).toEqual([]);
});

const inComment = (citation: string) => ({ file: 'store/connect.ts', text: `/** A rule (${citation}). */` });

test.each([
  'docs/no-such.md',
  'docs/decisions/0999',
  'docs/contract.md E1, E99',
  'docs/architecture.md#no-such',
  'store/no-such.ts',
  'contract 3',
  'commit-order 2',
  'contract, "Answers"',
  'delivery, signing',
  'toolchain',
  'design.md',
  'decision 99',
])('the citation %s is noticed', (citation) => {
  expect(brokenCitations(inComment(citation))).not.toEqual([]);
});

test.each([
  'docs/contract.md E1, C18',
  'docs/decisions/0009',
  'docs/architecture.md#commit-order, rule 2',
  'store/records/counters.ts',
  'SECURITY.md',
  'decision 7',
])('the citation %s is fine', (citation) => {
  expect(brokenCitations(inComment(citation))).toEqual([]);
});
