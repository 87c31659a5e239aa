import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERROR_STATUS } from '../../api/http/http-error';
import { readConfig } from '../../config';
import { checkout } from '../../tools/local/checkout';
import { type Api, startApi } from './start-api';

// An engineer who has an address and a token alone reads `/guide` (docs/contract.md A21).

const ADDRESS = 'https://grain.test';
const DOCS = path.join(checkout, 'docs');
const PAGES = [
  'erp',
  'files',
  'records',
  'customer',
  'signature',
  'samples',
  'errors',
  'ask-the-operator',
  'changes',
];
const source = (file: string) => readFileSync(path.join(DOCS, file), 'utf8');
/** What stands in docs/, with the address of this service. */
const served = (file: string) => source(file).replaceAll('https://grain.example', ADDRESS);

let api: Api;
beforeAll(async () => {
  api = await startApi({ farmer: { publicUrl: `${ADDRESS}/` } });
});

const get = (address: string) => api.ask('GET', address);
const isHtml = ({ headers }: { headers: object }) =>
  /^text\/html/.test(String(Object(headers)['content-type']));
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

/** Where a page leads to: of HTML its `href` and `src`, of Markdown its links outside of blocks. */
function linksIn(address: string, text: string): URL[] {
  const links = text.startsWith('<!doctype')
    ? [...text.matchAll(/ (?:href|src)="([^"]+)"/g)]
    : [...text.replace(/^ *```[^]*?^ *```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)];
  const urls = links.map(([, link]) => new URL(link!.replaceAll('&amp;', '&'), `${ADDRESS}${address}`));
  return urls.filter(({ origin }) => origin === ADDRESS);
}

/** Every page that is reached from one, with its text, and each link among them that leads nowhere. */
async function walk(from: string[]) {
  const pages = new Map<string, string>();
  const wrong: string[] = [];
  const linked: { on: string; to: URL }[] = from.map((to) => ({ on: '', to: new URL(to, ADDRESS) }));
  for (const { on, to } of linked) {
    if (pages.has(to.pathname)) continue;
    const answer = await get(to.pathname);
    pages.set(to.pathname, answer.text);
    if (answer.status !== 200 && to.pathname !== '/customer')
      wrong.push(`${on}: ${to.pathname} is ${answer.status}`);
    const isOurs = /^\/(guide|llms)/.test(to.pathname) && /\.(md|txt)$|^[^.]+$/.test(to.pathname);
    if (isOurs && !to.pathname.includes('/samples/'))
      linked.push(...linksIn(to.pathname, answer.text).map((url) => ({ on: to.pathname, to: url })));
  }
  for (const { on, to } of linked) {
    const page = pages.get(to.pathname.replace(/\.md$/, '')) ?? '';
    if (to.hash && !idsIn(page).includes(decodeURIComponent(to.hash.slice(1))))
      wrong.push(`${on}: no ${to.hash} in ${to.pathname}`);
  }
  return { pages, wrong };
}

test('no link of a page, of its Markdown or of the list leads nowhere', async () => {
  const { pages, wrong } = await walk(['/guide', '/guide.md', '/llms.txt', '/llms-full.txt']);
  expect(wrong).toEqual([]);
  const addresses = [...pages.keys()];
  expect(addresses).toEqual(
    expect.arrayContaining(PAGES.flatMap((name) => [`/guide/${name}`, `/guide/${name}.md`])),
  );
  const samples = readdirSync(path.join(DOCS, 'samples'), { recursive: true, encoding: 'utf8' });
  const files = samples.filter((file) => /\w\.\w|Dockerfile/.test(file) && !file.includes('node_modules'));
  expect(addresses).toEqual(expect.arrayContaining(files.map((file) => `/guide/samples/${file}`)));
  for (const file of files)
    expect([file, pages.get(`/guide/samples/${file}`)]).toEqual([file, served(`samples/${file}`)]);
});

test.each(PAGES)('/guide/%s is the page of docs/, in the list, without a script', async (name) => {
  const [page, markdown, list, all] = await Promise.all(
    [`/guide/${name}`, `/guide/${name}.md`, '/llms.txt', '/llms-full.txt'].map(get),
  );
  expect(markdown!.text).toBe(served(`${name}.md`));
  expect(markdown!.headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(isHtml(page!)).toBe(true);
  expect(page!.text).not.toMatch(/<script|<!--|\son\w+=|javascript:/i);
  expect(page!.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^;]+'; img-src data: 'self';/,
  );
  const ids = idsIn(page!.text);
  expect(new Set(ids).size).toBe(ids.length);
  expect(list!.text).toContain(`](/guide/${name}.md)`);
  const [, title] = /^(# .+)$/m.exec(markdown!.text)!;
  expect(all!.text).toContain(`\n${title}\n`);
});

test('the list is as llmstxt.org says: a title, a summary, links under headings', async () => {
  const { text, headers } = await get('/llms.txt');
  expect(text).toMatch(/^# .+\n\n> .+\n/);
  const [, ...parts] = text.split(/^## /m);
  for (const part of parts) expect(part).toMatch(/^.+\n\n(- \[.+\]\(\/guide\/.+\.md\): .+\n)+\n*$/);
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect((await get('/guide.md')).text).toBe(text);
});

test('a page is kept by browsers and asked for again cheaply; HEAD has no body', async () => {
  const { headers } = await get('/guide/erp');
  expect(headers['cache-control']).toBe('no-cache');
  const again = await api.ask('GET', '/guide/erp', { headers: { 'if-none-match': String(headers['etag']) } });
  expect([again.status, again.text]).toEqual([304, '']);
  const head = await api.ask('HEAD', '/guide/erp');
  expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', headers['etag']]);
});

test.each([
  '/guide/nothing',
  '/guide/erp.html',
  '/guide/samples/',
  '/guide/samples/nothing',
  '/guide/..%2fpackage.json',
  '/guide/images/customer/nothing.png',
])('nothing else is there: %s', async (address) => {
  expect(await get(address)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
});

test('a browser that writes a slash behind it comes to the guide', async () => {
  const answer = await api.ask('GET', '/guide/', { headers: { accept: 'text/html' } });
  expect([answer.status, answer.headers['location']]).toEqual([302, '/guide']);
});

test('the errors have every code with its status', () => {
  const page = source('errors.md');
  const missing = Object.entries(ERROR_STATUS).filter(
    ([code, status]) => !page.includes(`\n| \`${code}\` | ${status} | `),
  );
  expect(missing).toEqual([]);
});

test('the addresses for a firewall are those of the setting, or the operator is to be asked', async () => {
  const asked = 'from **addresses that the operator tells you**';
  expect((await get('/guide/ask-the-operator.md')).text).toContain(asked);
  api = await startApi({
    farmer: { publicUrl: ADDRESS, outboundAddresses: ['203.0.113.7/32', '2001:db8::/64'] },
  });
  expect((await get('/guide/ask-the-operator.md')).text).toContain('from **203.0.113.7/32, 2001:db8::/64**');
  expect((await get('/guide/ask-the-operator')).text).toContain(
    'from <strong>203.0.113.7/32, 2001:db8::/64</strong>',
  );
});

test('a setting that is not an address is refused by name', () => {
  const read = (text: string) => readConfig({ GDX_OUTBOUND_ADDRESSES: text }, 'api').outboundAddresses;
  expect(read(' 203.0.113.7/32, 2001:db8::/64 ')).toEqual(['203.0.113.7/32', '2001:db8::/64']);
  expect(() => read('203.0.113.7/32, grain.example')).toThrow(
    'GDX_OUTBOUND_ADDRESSES: grain.example is not a CIDR',
  );
});

test.each([
  ['/openapi.json', '"externalDocs":{"url":"/guide"'],
  ['/customer/sign-in', 'href="/guide/customer"'],
])('%s leads to it', async (address, link) => {
  expect((await get(address)).text).toContain(link);
});

/** The README's table of readers: what each starts with in the repository, and on a running service. */
function readersInReadme(): { who: string; links: string[]; addresses: string[] }[] {
  const [, table] = readFileSync(path.join(checkout, 'README.md'), 'utf8').split(/^\|---\|---\|---\|\n/m);
  return table!
    .slice(0, table!.indexOf('\n\n'))
    .split('\n')
    .map((row) => ({
      who: row.split(' | ')[0]!.slice(2),
      links: [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!),
      addresses: [...row.matchAll(/`(\/[^`]*)`/g)].map(([, address]) => address!),
    }));
}

test('README.md leads each reader to what is there, in the repository and on the service', async () => {
  const readers = readersInReadme();
  expect(readers.map(({ who }) => who)).toEqual([
    "an ERP's engineer",
    "a customer's engineer",
    "a farmer's helper",
    'an operator',
    'a maintainer',
  ]);
  const headers = { accept: 'text/html' };
  for (const { who, links, addresses } of readers) {
    expect([who, links.length > 0, addresses.length > 0]).toEqual([who, true, true]);
    expect([who, links.filter((link) => !existsSync(path.join(checkout, link)))]).toEqual([who, []]);
    for (const address of addresses) {
      const { status, headers: answered } = await api.ask('GET', address, { headers });
      const { location: led = address, 'set-cookie': cookies = [] } = answered;
      const cookie = [cookies]
        .flat()
        .map((one) => one.split(';')[0])
        .join('; ');
      const page =
        status === 200 ? { status } : await api.ask('GET', String(led), { headers: { ...headers, cookie } });
      // Operators sign in first.
      expect([address, page.status]).toEqual([address, address === '/ops' ? 401 : 200]);
    }
  }
});
