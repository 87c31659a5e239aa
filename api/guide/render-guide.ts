import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pageHtml } from './page-html';

// Part of the build: dist/guide has what `/guide` serves, each file under its address. docs/llms.txt lists the pages.

const ROOT = path.join(__dirname, '../../..');
const DOCS = path.join(ROOT, 'docs');
const FOLDER = path.join(ROOT, 'dist/guide');

const LISTED = /^- \[([^\]]+)\]\((\w[\w-]*)\.md\)/gm;
const LINK = /(?<=\]\()[^)\s]+/g;

const read = (file: string) => readFileSync(path.join(DOCS, file), 'utf8');

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(FOLDER, file)), { recursive: true });
  writeFileSync(path.join(FOLDER, file), text);
}

/**
 * The address of what a page links: another page, or a file beside it, which is copied.
 * @throws Error for what is not served
 */
function served(link: string, names: readonly string[]): string {
  const [target = '', anchor = ''] = link.replace(/^\.\//, '').split(/(?=#)/);
  if (/^(https?:\/|#|\/)/.test(target)) return link;
  const isPage = names.includes(target.replace(/\.md$/, ''));
  if (!isPage && !/^(samples|images)\/./.test(target)) throw new Error(`docs/llms.txt has no ${link}`);
  if (!isPage) cpSync(path.join(DOCS, target), path.join(FOLDER, 'guide', target));
  return `/guide/${target}${anchor}`;
}

async function main(): Promise<void> {
  const { Marked } = await import('marked');
  rmSync(FOLDER, { recursive: true, force: true });
  const index = read('llms.txt');
  const links = [...index.matchAll(LISTED)].map(([, title, name]) => ({ title: title!, name: name! }));
  const names = links.map(({ name }) => name);
  const absolute = (text: string, name = '') =>
    text.replace(LINK, (link) => served(link.startsWith('#') ? `${name}.md${link}` : link, names));
  const html = (name: string, text: string) =>
    pageHtml({ name, text }, links, new Marked(), (link) => served(link, names).replace(/\.md(?=#|$)/, ''));
  for (const file of ['llms.txt', 'guide.md']) write(file, absolute(index));
  write('guide.html', html('', index));
  for (const name of names) {
    write(`guide/${name}.md`, read(`${name}.md`));
    write(`guide/${name}.html`, html(name, read(`${name}.md`)));
  }
  const whole = [absolute(index), ...names.map((name) => absolute(read(`${name}.md`), name))];
  write('llms-full.txt', whole.join('\n'));
}

void main();
