import type { Marked } from 'marked' with { 'resolution-mode': 'import' };
import { GUIDE_STYLE } from './style';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asText = (text: string) => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]!);
const unmarked = (text: string) => text.replace(/[`*]/g, '');

/** The anchor of a heading, as the common renderers make it: lower case, spaces to hyphens, punctuation gone. */
export const anchorOf = (heading: string): string =>
  unmarked(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/**
 * A page of docs/ as HTML.
 * @param name of its file, without the ending; empty: the list of all
 * @param addressOf where a link of the page leads to on the service
 * @throws Error for a link to what is not served, and for HTML other than a comment
 */
export function pageHtml(
  { name, text }: { name: string; text: string },
  pages: readonly { name: string; title: string }[],
  marked: Marked,
  addressOf: (link: string) => string,
): string {
  const [, title = ''] = /^# (.+)/.exec(text) ?? [];
  marked.use({
    renderer: {
      heading({ depth, text: heading, tokens }) {
        return `<h${depth} id="${anchorOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const download = href.startsWith('samples/') ? ' download' : '';
        return `<a href="${asText(addressOf(href))}"${download}>${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text: alt }) => `<img src="${addressOf(href)}" alt="${asText(alt)}">`,
      // Long names break where they are joined, else columns are as wide as they.
      codespan: ({ text: code }) => `<code>${asText(code).replace(/[_.\]](?=\w)/g, '$&<wbr>')}</code>`,
      // What does not fit is scrolled, by keyboard too.
      code: ({ text: code }) => `<pre tabindex="0"><code>${asText(code)}</code></pre>\n`,
      table({ header, rows }) {
        const titles = header.map((cell) => asText(unmarked(cell.text)));
        const rowOf = (cells: typeof header, tag: 'td' | 'th') =>
          `<tr>${cells.map(({ tokens }, at) => `<${tag} data-title="${titles[at]}">${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`;
        const body = rows.map((row) => rowOf(row, 'td')).join('');
        return `<table>\n<thead>${rowOf(header, 'th')}</thead>\n<tbody>\n${body}</tbody>\n</table>\n`;
      },
      html({ text: html }) {
        if (!html.startsWith('<!--')) throw new Error(`docs/${name}.md has HTML: ${html}`);
        return '';
      },
    },
  });
  const linkTo = (href: string, says: string, more = '') =>
    `<a href="${href}"${more}>${asText(unmarked(says))}</a>`;
  const parts = [...text.matchAll(/^## (.+)$/gm)].map(
    ([, part]) => `<li>${linkTo(`#${anchorOf(part!)}`, part!)}</li>`,
  );
  const list = pages.map((page) =>
    page.name === name
      ? `<li>${linkTo(`/guide/${name}`, page.title, ' aria-current="page"')}<ul>${parts.join('')}</ul></li>`
      : `<li>${linkTo(`/guide/${page.name}`, page.title)}</li>`,
  );
  const markdown = `/guide${name && `/${name}`}.md`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${asText(unmarked(title))}${name && ' – Grain Data Exchange'}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${markdown}">
<style>${GUIDE_STYLE}</style>
</head>
<body>
<header><p><a href="/guide">Grain Data Exchange</a></p>
<nav aria-label="Service"><a href="/docs">API reference</a> <a href="/customer">Your channel</a></nav></header>
<details class="pages"><summary>All pages</summary><ul>${list.join('\n')}</ul></details>
<nav class="pages" aria-label="Pages"><ul>${list.join('\n')}</ul></nav>
<main>
${marked.parse(text) as string}
<footer><a href="${markdown}">This page as Markdown</a> <a href="/llms-full.txt">All pages in one file</a> <a href="/openapi.json">OpenAPI document</a></footer>
</main>
</body>
</html>
`;
}
