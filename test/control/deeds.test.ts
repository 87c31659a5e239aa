import { randomBytes, randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { ACTIONS } from '../../api/channel/actions';
import { listActions } from '../../store/callers/operator-actions';
import { type Desk, startDesk } from '../cli/start-desk';
import { tryKey } from '../customer-page/customer-browser';
import { textOf } from '../farmer/visitor';
import type { OpsBrowser } from '../ops/ops-browser';
import { type Ops, startOps } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { DEED_CASES, type DeedCase, type Door, type Given } from './deed-cases';

let desk: Desk;
let ops: Ops;
let maria: OpsBrowser;
const slugs: string[] = [];

beforeAll(async () => {
  desk = await startDesk();
  await desk.pushTickets(3);
  ops = await startOps({ store: desk.store });
  maria = await ops.signedIn();
  await addTestChannel(ops.store, 'foreign', 'https://foreign.example');
});
beforeEach(() => void ops.signals.splice(0));

const doorsOf = ({ pages, api, gdx }: DeedCase): Door[] => [
  ...(api ? ['API' as const] : []),
  ...pages,
  ...(gdx ? ['gdx' as const] : []),
];

/** A deed at one of its doors, on a channel of its own. */
async function arrive(one: DeedCase, door: Door) {
  const { deed, settings, prepare, truth } = one;
  const slug = `${deed.name}-${randomBytes(4).toString('hex')}`;
  slugs.push(slug);
  const { apiKey: token } = await addTestChannel(ops.store, slug, 'https://acme.example', settings);
  await prepare?.(ops.store, slug);
  const browser = door === '/customer' ? await tryKey(ops, token) : maria.twin();
  const home = door === '/ops' ? `/ops/channels/${slug}` : '/customer';
  const { asks, own } = deed.page!;

  /** @param meanwhile what happens once the form is open */
  async function ask({ api = {}, page, gdx = '' }: Given, isDry = false, meanwhile = async () => {}) {
    if (door === 'gdx' || door === 'API') await meanwhile();
    if (door === 'gdx') {
      const words = `${gdx.replace('@', slug)} --reason because${isDry ? ' --dry-run' : ''}`;
      const { exitCode, stdout, stderr } = await desk.gdx(words.split(' '));
      return { taken: exitCode === 0, says: stdout + stderr, ...(exitCode > 0 && { exitCode }) };
    }
    if (door === 'API') {
      const path = deed.api!.path.replace(/:(\w+)/, (_, name: string) => `${api[name]}`);
      const query = isDry ? '?dry_run=true' : '';
      const answer = await ops.ask('POST', `/api/v1/channels/${slug}${path}${query}`, { token, body: api });
      return { taken: answer.status === 200, says: answer.text };
    }
    const query = asks ? `?${new URLSearchParams(page as Record<string, string>)}` : '';
    const shown = await browser.get(`${home}${asks || own ? `/${deed.name}${query}` : ''}`);
    if (isDry || shown.status !== 200) return { taken: shown.status === 200, says: textOf(shown.html) };
    await meanwhile();
    const tab = browser.twin();
    const answer = await submit(page);
    return { ...answer, again: answer.taken ? await submit(page, tab) : undefined };
  }
  async function submit({ reason = 'because', ...typed }: Given['page'], tab = browser) {
    const fields = { ...(!asks && typed), reason, channel_slug: 'foreign' };
    const { status, html } = await tab.submit(`${home}/${deed.name}`, fields);
    return { taken: status === 200, says: textOf(html) };
  }
  const kept = () => listActions(ops.store, slug, 9);
  return { slug, browser, home, token, ask, kept, truth: async () => truth?.(ops.store, slug) };
}

const CASES = DEED_CASES.flatMap((one) => doorsOf(one).map((door) => [one.deed.name, door, one] as const));

test('every deed of the pages has its case, at every door of its row', () => {
  expect(DEED_CASES.map(({ deed }) => deed.name)).toEqual(ACTIONS.map(({ name }) => name));
  for (const { deed, api, gdx, pages } of DEED_CASES) {
    const doors = deed.page!.doors.map((holder) => (holder === 'operator' ? '/ops' : '/customer'));
    expect([deed.name, !api, !gdx && !!deed.gdx, pages]).toEqual([deed.name, !deed.api, false, doors]);
  }
});

test.each(CASES)('%s through %s is recorded with who and why, and done once', async (name, door, one) => {
  const { deed, hears, recorded, becomes } = one;
  const { slug, ask, kept, truth } = await arrive(one, door);
  if (becomes) expect(await truth()).not.toEqual(becomes);
  const { taken, says, ...more } = await ask(one);
  expect([taken, says]).toEqual([true, expect.any(String)]);
  expect(await truth()).toEqual(becomes);
  const acme = 'Acme Crop Insurance';
  const by = { '/ops': 'Maria Lopez', gdx: userInfo().username, '/customer': acme, API: acme }[door];
  const reason = asksWhy(door, one) ? 'because' : null;
  const [action, ...others] = await kept();
  expect(action).toMatchObject({ action: deed.recorded ?? name, by, via: door, reason, ...recorded });
  expect([others, 'expires_at' in action!]).toEqual([[], door === '/customer' || door === 'API']);
  if (door === 'gdx') return expect(await desk.signals(slug).catch(() => [])).toEqual(hears ? [hears.signal] : []); // prettier-ignore
  expect(ops.signals).toMatchObject(hears ? [{ slug, ...hears }] : []);
  if (door === 'API') return;
  const { own, done } = deed.page!;
  expect(says).toContain(own ? 'Done.' : `Done. ${done}`);
  if (own) expect(more).toEqual({ again: { taken: false, says: expect.stringContaining(own.again) } });
  expect(says.includes(recorded.outcome)).toBe(true);
  const line = ops.lines.find(({ msg, channel }) => /acted$/.test(`${msg}`) && channel === slug);
  expect(line).toMatchObject({ action: name, by, request_id: action!.request_id });
});

/** Customers say why they act, but for what changes nothing. */
const asksWhy = (door: string, { deed }: (typeof DEED_CASES)[number]) =>
  door !== 'API' && !(door === '/customer' && deed.page!.whyOfOperators);

const WRONG = CASES.flatMap(([name, door, one]) => {
  const kind = door === 'API' ? 'api' : door === 'gdx' ? 'gdx' : 'page';
  const forgotten = {
    door: 'page',
    given: { reason: ' ' },
    says: 'Enter a reason',
    ...{ before: undefined, exitCode: undefined },
  } as const;
  return [...one.wrong, ...(asksWhy(door, one) ? [forgotten] : [])]
    .filter((wrong) => wrong.door === kind)
    .map((wrong) => [name, door, wrong.says, one, wrong] as const);
});

test.each(WRONG)('%s through %s is refused: %s', async (_name, door, says, one, wrong) => {
  const { slug, ask, kept, truth } = await arrive(one, door);
  let before = await truth();
  const meanwhile = async () => {
    await wrong.before?.(ops.store, slug);
    before = await truth();
  };
  const given = wrong.door === 'page' ? { ...one.page, ...wrong.given } : wrong.given;
  const answer = await ask({ ...one, [wrong.door]: given }, false, meanwhile);
  const exitCode = door === 'gdx' ? { exitCode: wrong.exitCode ?? 1 } : {};
  expect(answer).toEqual({ taken: false, says: expect.stringContaining(says), ...exitCode });
  expect([await truth(), await kept(), ops.signals]).toEqual([before, [], []]);
});

const PREVIEWED = CASES.filter(([, , { deed }]) => deed.preview);

test.each(PREVIEWED)(
  '%s through %s is shown before it is done, which changes nothing',
  async (_name, door, one) => {
    const { ask, kept, truth } = await arrive(one, door);
    const before = await truth();
    const says = door === 'API' ? '"records":3,"pages":1' : one.seen!;
    expect(await ask(one, true)).toEqual({ taken: true, says: expect.stringContaining(says) });
    expect([await truth(), await kept(), ops.signals]).toEqual([before, [], []]);
  },
);

test.each(DEED_CASES.filter(({ read }) => read).map((one) => [one.deed.name, one] as const))(
  'what %s leaves behind is read by whom it is for',
  async (_name, one) => {
    const { slug, token, ask } = await arrive(one, '/ops');
    expect((await ask(one)).taken).toBe(true);
    const customer = await tryKey(ops, token);
    const seen = {
      '/ops': textOf((await maria.get(`/ops/channels/${slug}`)).html),
      '/customer': textOf((await customer.get('/customer')).html),
      gdx: (await desk.gdx(['channel', 'show', slug, '--json'])).stdout,
    };
    for (const [word, doors] of Object.entries(one.read!)) {
      const having = Object.entries(seen).flatMap(([door, text]) => (text.includes(word) ? door : []));
      expect([word, having]).toEqual([word, doors]);
    }
  },
);

test.each(DEED_CASES.map((one) => [one.deed.name, one] as const))(
  '%s has no other door',
  async (name, one) => {
    const doors = doorsOf(one);
    for (const door of (['/ops', '/customer'] as const).filter((each) => !doors.includes(each))) {
      const { browser, home, kept } = await arrive(one, door);
      const { html } = await browser.get(home);
      expect(html).not.toContain(`action="${home}/${name}"`);
      const csrf = / name="csrf" value="([^"]*)"/.exec(html)![1]!;
      const form = String(new URLSearchParams({ csrf, reason: 'because', form: randomUUID() }));
      expect([(await browser.follow('POST', `${home}/${name}`, form)).status, await kept()]).toEqual([
        404,
        [],
      ]);
    }
    if (doors.includes('API')) return;
    const { slug, token } = await arrive(one, 'API');
    const { status } = await ops.ask('POST', `/api/v1/channels/${slug}/${name}`, { token, body: {} });
    expect(status).toBe(404);
  },
);

test('no form does anything to the channel that it smuggles in', async () => {
  expect(await listActions(ops.store, 'foreign', 9)).toEqual([]);
});
