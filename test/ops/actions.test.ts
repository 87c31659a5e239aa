import { findChannel, pauseChannel } from '../../store/channels/channels';
import { readMarkers, startMarker } from '../../store/markers/markers';
import { listActions } from '../../store/callers/operator-actions';
import { listSetAside, setAside } from '../../store/deliveries/set-aside';
import { addTestChannel } from '../setup/add-test-channel';
import { pushRecords } from '../setup/push-records';
import { textOf } from '../farmer/visitor';
import type { OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';
import { slowTest, nightlyTest } from '../setup/cases';
import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';

let ops: Ops;

describe('actions', () => {
  let maria: OpsBrowser;
  let slug: string;
  let number = 0;

  async function start(heard = true): Promise<void> {
    ops = await startOps({ heard });
    const tickets = Array.from({ length: 25 }, (_, index) => ({ id: `${index}`, account_id: '1001' }));
    await pushRecords(ops.store, { tickets });
  }
  async function prepare(): Promise<void> {
    ops.signals.length = 0;
    slug = `acme-${++number}`;
    await addTestChannel(ops.store, slug, 'https://acme.example', { page_size: 10 });
    maria = await ops.signedIn();
    await maria.get(`/ops/channels/${slug}`);
  }
  beforeAll(() => start());
  beforeEach(prepare);

  const to = (verb: string) => `/ops/channels/${slug}/${verb}`;
  const kept = () => listActions(ops.store, slug, 9);
  const signals = () => ops.signals.map(({ signal }) => signal);

  slowTest('the reason of a pause is shown in Temporal, which keeps no phone', async () => {
    await maria.submit(to('pause'), { reason: 'Ruth, 701-555-0142, asked for it' });
    const channel = await findChannel(ops.store, slug);
    expect(channel!.paused!.reason).toBe('Ruth, …42, asked for it');
    expect(JSON.stringify(ops.signals)).not.toMatch(/701-?555/);
  });

  describe('reset', () => {
    const from = '2026-01-01T00:00';
    const ask = (query: string) => maria.get(`${to('reset')}?${query}`);
    const position = async () => (await readMarkers(ops.store, slug)).get('tickets')!.position;

    beforeEach(() => startMarker(ops.store, slug, 'tickets', 25));

    nightlyTest('twenty taps on the same form are one reset', async () => {
      await ask(`entity_type=tickets&timestamp=${from}`);
      const twins = Array.from({ length: 20 }, () => maria.twin());
      await Promise.all(twins.map((twin) => twin.submit(to('reset'), { reason: 'They restored a backup' })));
      expect(twins.map(({ page }) => page.status)).toEqual(twins.map(() => 200));
      expect([(await kept()).length, signals()]).toEqual([1, ['markerReset']]);
      expect((await readMarkers(ops.store, slug)).get('tickets')!.generation).toBe(1);
    });

    test.each([
      ['2026-01-01T00:00:30', '2026-01-01T00:00:30.000Z'],
      ['2026-01-01T00:00:30.5', '2026-01-01T00:00:30.500Z'],
    ])('with the seconds that a browser gives: %s', async (typed, timestamp) => {
      const { html } = await ask(`entity_type=tickets&timestamp=${typed}`);
      expect(textOf(html)).toContain(`This would resend 25 tickets, about 3 pages to Acme Crop Insurance.`);
      expect(html).toContain(`name="timestamp" value="${timestamp}"`);
    });

    test('of a paused channel it says when the records are sent, where there are any', async () => {
      await pauseChannel(ops.store, slug, 'test');
      const when = 'the records are sent when it is resumed';
      const some = await ask(`entity_type=tickets&timestamp=${from}`);
      expect(textOf(some.html)).toContain(when);
      const soon = new Date(Date.now() + 60_000).toISOString();
      const none = await ask(`entity_type=tickets&timestamp=${soon}`);
      expect(textOf(none.html)).not.toContain(when);
    });

    test('afterwards the marker says that nothing is confirmed since', async () => {
      await ask(`entity_type=tickets&timestamp=2016-01-01T00:00`);
      const { html } = await maria.submit(to('reset'), { reason: 'They restored a backup' });
      expect(textOf(html)).toContain('nothing since the reset');
      expect(textOf(html)).toMatch(/to 1\sJan\s2016\s00:00 1\d\sy ago/);
    });

    test('nothing changed since then: there is no button', async () => {
      const soon = new Date(Date.now() + 60_000).toISOString();
      const asked = await ask(`entity_type=tickets&timestamp=${soon}`);
      expect(textOf(asked.html)).toContain('nothing would be resent');
      expect(asked.html).not.toContain('Reset and resend');
    });

    slowTest('without a reason it asks again', async () => {
      await ask(`entity_type=tickets&timestamp=${from}`);
      const page = await maria.submit(to('reset'), { reason: '' });
      expect([page.status, page.html.includes('<title>Error: ')]).toEqual([422, true]);
      expect(page.html).toContain('Reset and resend'); // the page that asked, with what was asked for
      expect([await position(), await kept()]).toEqual([25, []]);
    });
  });

  slowTest('release: as many as a page has, of the longest ids, and all', async () => {
    for (const record of ['42-1', '42-2'])
      await setAside(ops.store, {
        ...{ channel: slug, entity_type: 'tickets', record, position: 1, failure: 'refused' },
        ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
      });
    const released = async () =>
      (await listSetAside(ops.store, slug, { released: true })).map(({ record }) => record);
    const longest = Array.from({ length: 49 }, (_, index) => `tickets/${index}${'🌾'.repeat(190)}`);
    await maria.get(`/ops/channels/${slug}`);
    await maria.submit(to('release'), { reason: 'fixed', record: [...longest, 'tickets/42-2'], which: 'ticked' }); // prettier-ignore
    expect([maria.page.status, await released()]).toEqual([200, ['42-2']]);
    await maria.submit(to('release'), { reason: 'fixed', which: 'all' });
    expect(await released()).toEqual(['42-1', '42-2']);
  });

  slowTest('an action that was cut off says so, also when it is asked for again', async () => {
    const backThere = maria.twin();
    ops.signals.push = () => {
      throw new Error('killed');
    };
    const page = await maria.submit(to('deliver'), { reason: 'x' });
    ops.signals.push = Array.prototype.push;
    expect(page.status).toBe(500);
    const again = await backThere.submit(to('deliver'), { reason: 'x' });
    expect(textOf(again.html)).toMatch(/Perhaps not done\..*Not finished: look whether/);
    expect(textOf((await maria.get(`/ops/channels/${slug}`)).html)).toContain('Not finished: look whether');
  });
});

describe('forms', () => {
  let maria: OpsBrowser;
  let other: OpsBrowser;

  beforeAll(async () => {
    ops = await startOps();
    await addTestChannel(ops.store, 'acme', 'https://acme.example');
    maria = await ops.signedIn();
    other = await ops.signedIn();
    for (const browser of [maria, other]) await browser.get('/ops/channels/acme');
  });

  const FORMS = ROUTES.filter(({ method, path }) => method === 'POST' && path.startsWith('/ops')).map(
    ({ path }) => path.replace(':channel_slug', 'acme'),
  );
  const csrfOn = ({ page }: OpsBrowser) => / name="csrf" value="([^"]*)"/.exec(page.html)![1]!;

  const form = (csrf: string) =>
    new URLSearchParams({
      csrf,
      reason: 'because',
      form: randomUUID(),
      which: 'all',
      token: ops.token,
      entity_type: 'tickets',
      timestamp: '2026-10-01T00:00:00Z',
    }).toString();

  test('every form of the table is tried', () => expect(FORMS).toHaveLength(10));

  describe.each(FORMS)('%s changes nothing', (path) => {
    nightlyTest.each<[string, () => string, Record<string, string>, number]>([
      ['without a token of its page', () => form(''), {}, 403],
      ['with a token that nobody made', () => form(Buffer.alloc(64).toString('base64url')), {}, 403],
      ['with the token of another session', () => form(csrfOn(other)), {}, 403],
      ['from another site', () => form(csrfOn(maria)), { 'sec-fetch-site': 'cross-site' }, 403],
      ['from another origin', () => form(csrfOn(maria)), { origin: 'https://evil.example' }, 403],
      ['as JSON', () => '{}', { 'content-type': 'application/json' }, 400],
    ])('%s', async (_, body, headers, status) => {
      const twin = maria.twin();
      const answer = await twin.follow('POST', path, body(), headers);
      expect([answer.status, twin.cookies.get('gdx-ops')]).toEqual([status, maria.cookies.get('gdx-ops')]);
      expect(ops.signals).toEqual([]);
      expect(await listActions(ops.store, 'acme', 9)).toEqual([]);
      expect((await findChannel(ops.store, 'acme'))!.state).toBe('active');
      expect((await maria.twin().get('/ops')).status).toBe(200);
    });
  });

  test('a form without its id cannot be read', async () => {
    const body = new URLSearchParams({ csrf: csrfOn(maria), reason: 'because', form: '1' }).toString();
    expect((await maria.twin().follow('POST', '/ops/channels/acme/pause', body)).status).toBe(400);
    expect((await findChannel(ops.store, 'acme'))!.state).toBe('active');
  });
});
