import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Doc, readDocs, ROOT } from './read-docs';

/** As the common Markdown renderers make them: lower case, spaces to hyphens, punctuation gone. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[`*_]/g, '')
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

function broken({ file, text }: Doc): string[] {
  const links = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link]) => link!,
  );
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [target, anchor] = link.split('#') as [string, string | undefined];
      const full = path.join(ROOT, path.dirname(file), target);
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
