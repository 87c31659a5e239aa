import { randomBytes } from 'node:crypto';
import { CHANNEL_LISTS } from '../../api/channel/list-route';
import { DOCUMENT } from '../openapi/read-document';
import { expectError } from '../api/start-api';
import { type Desk, startDesk } from '../cli/start-desk';
import { tryKey } from '../customer-page/customer-browser';
import { textOf } from '../farmer/visitor';
import type { OpsBrowser } from '../ops/ops-browser';
import { type Ops, startOps } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { LIST_CASES, type ListCase } from './list-cases';

let desk: Desk;
let ops: Ops;
let maria: OpsBrowser;

beforeAll(async () => {
  desk = await startDesk();
  await desk.pushTickets(3);
  ops = await startOps({ store: desk.store });
  maria = await ops.signedIn();
});

/** A list of a channel of its own, at each of its doors. */
async function arrive({ list, gdx, mark, plant, plantNothing }: ListCase, isEmpty = false) {
  const slug = `list-${randomBytes(4).toString('hex')}`;
  const { apiKey: token } = await addTestChannel(ops.store, slug, 'https://acme.example');
  await (isEmpty ? plantNothing : plant)?.(ops.store, slug);
  const customer = await tryKey(ops, token);
  const path = `/api/v1/channels/${slug}${list.api.path}`;
  const markOf = (one: Record<string, unknown>) => `${one[mark.member]}`;
  const drawn = (html: string) =>
    html
      .split(`data-title="${mark.column}">`)
      .slice(1)
      .map((cell) => textOf(cell.split('</td>')[0]!).trim().replace(',', ''));
  const page =
    (browser: OpsBrowser, home: string) =>
    async (query = '') => {
      const { status, html } = await browser.get(`${home}${query && `?${query}`}`);
      const marks = drawn(html);
      for (let older = olderOn(html); older; older = olderOn(browser.page.html))
        marks.push(...drawn((await browser.get(older)).html));
      return { status, html, marks };
    };
  return {
    ...{ slug, token, customer },
    ask: (query = '', key: string | undefined = token) =>
      ops.ask('GET', `${path}${query && `?${query}`}`, { ...(key && { token: key }) }),
    /** With the marks on them, and on those behind. */
    pages: { '/ops': page(maria.twin(), `/ops/channels/${slug}`), '/customer': page(customer, '/customer') },
    run: (more = '') => desk.gdx([...`${gdx.replace('@', slug)} ${more}`.trim().split(' ')]),
    markOf,
  };
}

const olderOn = (html: string) => /href="([^"]*after=[^"]*)">Older/.exec(html)?.[1]?.replace(/&amp;/g, '&');

const CASES = LIST_CASES.map((one) => [one.list.api.schema, one] as const);

test('every list of customers has its case', () =>
  expect(LIST_CASES.map(({ list }) => list)).toEqual(CHANNEL_LISTS));

describe.each(CASES)('%s', (schema, one) => {
  test('says the same through every door, in one order, page by page', async () => {
    const { slug, ask, pages, run, markOf } = await arrive(one);
    const { json } = await ask();
    expect(json.data.map(markOf)).toEqual(one.marks);
    expect(json.data[0]).toEqual(one.told(slug));
    const walked: string[] = [];
    for (let next = one.list.cursor ? '' : null; next !== null;) {
      const page = (await ask(`limit=4${next && `&after=${next}`}`)).json;
      walked.push(...page.data.map(markOf));
      ({ next } = page);
    }
    expect(walked).toEqual(one.list.cursor ? one.marks : []);
    const marksAt = { '/ops': one.marks, '/customer': one.marks, gdx: one.marks, ...one.marksAt };
    for (const door of ['/ops', '/customer'] as const)
      expect([door, (await pages[door]()).marks]).toEqual([door, marksAt[door]]);
    const limit = one.list.gdx.limit ? ' --limit 200' : '';
    const { data } = (await run(`--json${limit}`)).json() as { data: Record<string, unknown>[] };
    expect(data.map(markOf)).toEqual(marksAt.gdx);
    expect(data[0]).toEqual({ ...one.told(slug), ...one.besides });
    expect((await run()).stdout).toMatch(one.line);
  });

  test('tells customers nothing that is the operators’, through any door', async () => {
    const { slug, ask, pages, run } = await arrive(one);
    const seen = {
      '/ops': (await pages['/ops']()).html,
      gdx: (await run('--json')).stdout,
      API: (await ask()).text,
      '/customer': (await pages['/customer']()).html,
    };
    for (const [word, doors] of Object.entries(one.hidden))
      expect([
        word,
        Object.entries(seen).flatMap(([door, text]) => (text.replaceAll(',', '').includes(word) ? door : [])),
      ]).toEqual([word, doors]);
    const { properties } = DOCUMENT.components.schemas[schema].properties.data.items;
    expect(
      Object.keys(one.besides).filter((name) => !(name in one.told(slug)) && name in properties),
    ).toEqual([]);
  });

  test('is for the channel’s own key and browser, and for operators', async () => {
    const { slug, ask } = await arrive(one);
    const other = await arrive(one, true);
    expectError(await ask('', ''), 401, 'UNAUTHENTICATED');
    expectError(await ask('', other.token), 404, 'NOT_FOUND');
    for (const path of ['/customer', `/ops/channels/${slug}`])
      expect((await ops.browser().get(path)).status).toBe(401);
    expect((await other.customer.get(`/ops/channels/${slug}`)).status).toBe(401);
    const { next } = (await ask(one.list.cursor ? 'limit=1' : '')).json;
    if (next) expect((await other.ask(`after=${next}`)).json).toEqual({ data: [], next: null });
    const { exitCode, stderr } = await desk.gdx(one.gdx.replace('@', 'nobody').split(' '));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('there is no channel nobody')]);
  });

  test('says so where there is nothing', async () => {
    const { ask, pages, run } = await arrive(one, true);
    expect((await ask()).json).toEqual(one.empty.api);
    for (const page of Object.values(pages)) expect(textOf((await page()).html)).toContain(one.empty.page);
    const { exitCode, stderr } = await run();
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(one.empty.gdx)]);
  });

  test('keeps what is asked for, through every door', async () => {
    const { ask, pages, run, markOf } = await arrive(one);
    for (const { api, page, gdx, marks } of one.narrowed) {
      expect([api, (await ask(api)).json.data.map(markOf)]).toEqual([api, marks]);
      for (const show of Object.values(pages))
        expect([page, (await show(page)).marks]).toEqual([page, marks]);
      const { data } = (await run(`${gdx} --json`)).json() as { data: Record<string, unknown>[] };
      expect([gdx, data.map(markOf)]).toEqual([gdx, marks]);
    }
  });

  test('refuses what it does not know, through every door', async () => {
    const { ask, pages, run } = await arrive(one);
    for (const [query, fields] of one.wrong.api) {
      const answer = await ask(query);
      expectError(answer, 422, 'VALIDATION_ERROR');
      const found = Object.keys(answer.json.validation_messages).sort().join(' ');
      expect([query, found]).toEqual([query, fields]);
    }
    for (const query of one.wrong.page)
      for (const page of Object.values(pages))
        expect([query, (await page(query)).status]).toEqual([query, 422]);
    for (const [words, says] of one.wrong.gdx) {
      const { exitCode, stderr } = await run(words);
      expect([words, exitCode, stderr]).toEqual([words, 2, expect.stringMatching(says)]);
    }
  });
});
