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

  slowTest('pause: with the reason, told, kept, logged and shown', async () => {
    const page = await maria.submit(to('pause'), { reason: ' Their maintenance ' });
    expect(page.path).toMatch(new RegExp(`^/ops/channels/${slug}\\?did=`));
    expect(textOf(page.html)).toContain('Done. Paused. Nothing more is sent until it is resumed.');
    const channel = await findChannel(ops.store, slug);
    expect(channel).toMatchObject({ state: 'paused', paused: { reason: 'Their maintenance' } });
    expect(ops.signals).toMatchObject([{ slug, signal: 'settingsChanged', args: [{ reason: 'paused' }] }]);
    const [action, ...more] = await kept();
    expect(more).toEqual([]);
    expect(action).toMatchObject({
      channel: slug,
      action: 'pause',
      by: 'Maria Lopez',
      via: '/ops',
      reason: 'Their maintenance',
      outcome: 'Nothing more is sent until it is resumed.',
    });
    const line = ops.lines.find((one) => one['msg'] === 'operator acted' && one['channel'] === slug);
    expect(line).toMatchObject({ action: 'pause', by: 'Maria Lopez', request_id: action!.request_id });
    expect(textOf(page.html)).toContain('Paused Their maintenance');
  });

  slowTest('resume', async () => {
    await pauseChannel(ops.store, slug, 'test');
    await maria.get(`/ops/channels/${slug}`);
    const page = await maria.submit(to('resume'), { reason: 'They are back' });
    expect(textOf(page.html)).toContain(
      'Resumed. It continues from where the customer left off: now, or when the customer’s wait expires.',
    );
    expect((await findChannel(ops.store, slug))!.state).toBe('active');
    expect(ops.signals).toMatchObject([{ signal: 'settingsChanged', args: [{ reason: 'resumed' }] }]);
  });

  slowTest('deliver now', async () => {
    await maria.submit(to('deliver'), { reason: 'They are on the phone' });
    const [action] = await kept();
    expect(ops.signals).toMatchObject([{ signal: 'deliverNow', args: [{ request_id: action!.request_id }] }]);
  });

  test('deliver now, paused meanwhile: refused, nothing is kept', async () => {
    await pauseChannel(ops.store, slug, 'test');
    const page = await maria.submit(to('deliver'), { reason: 'x' });
    expect([page.status, textOf(page.html).includes('The channel is paused (test): resume it')]).toEqual([
      422,
      true,
    ]);
    expect([await kept(), signals()]).toEqual([[], []]);
  });

  describe('reset', () => {
    const from = '2026-01-01T00:00';
    const ask = (query: string) => maria.get(`${to('reset')}?${query}`);
    const position = async () => (await readMarkers(ops.store, slug)).get('tickets')!.position;

    beforeEach(() => startMarker(ops.store, slug, 'tickets', 25));

    slowTest('says what it would do, and does it only when it is asked to', async () => {
      const asked = await ask(`entity_type=tickets&timestamp=${from}`);
      expect(textOf(asked.html)).toContain(
        'This would resend 25 tickets, about 3 pages to Acme Crop Insurance.',
      );
      expect([await position(), signals(), await kept()]).toEqual([25, [], []]);
      const page = await maria.submit(to('reset'), { reason: 'They restored a backup' });
      expect(textOf(page.html)).toContain(
        'Done. Reset a marker: tickets from 2026-01-01T00:00:00.000Z. Resends 25 tickets, about 3 pages.',
      );
      expect([await position(), signals()]).toEqual([0, ['markerReset']]);
      expect(ops.signals[0]!.args[0]).toMatchObject({
        entity_types: ['tickets'],
        timestamp: '2026-01-01T00:00:00.000Z',
      });
    });

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

    test('nothing changed since then: there is no button', async () => {
      const soon = new Date(Date.now() + 60_000).toISOString();
      const asked = await ask(`entity_type=tickets&timestamp=${soon}`);
      expect(textOf(asked.html)).toContain('nothing would be resent');
      expect(asked.html).not.toContain('Reset and resend');
    });

    test.each([
      ['entity_type=tickets&timestamp=', 'The time must be an RFC 3339'],
      ['entity_type=tickets&timestamp=2015-01-01T00:00', 'The time must not be before 2016'],
      ['entity_type=tickets&timestamp=2126-01-01T00:00', 'The time must not be more than 5 minutes ahead'],
      ['entity_type=tickets&timestamp=2026-02-30T00:00', 'The time must be an RFC 3339'],
      [`entity_type=elevators&timestamp=${from}`, 'The entity type must be accounts'],
    ])('%s: %s', async (query, message) => {
      const page = await ask(query);
      expect([page.status, textOf(page.html).includes(message)]).toEqual([422, true]);
    });

    slowTest('without a reason it asks again', async () => {
      await ask(`entity_type=tickets&timestamp=${from}`);
      const page = await maria.submit(to('reset'), { reason: '' });
      expect([page.status, page.html.includes('<title>Error: ')]).toEqual([422, true]);
      expect(page.html).toContain('Reset and resend'); // the page that asked, with what was asked for
      expect([await position(), await kept()]).toEqual([25, []]);
    });
  });

  describe('release', () => {
    beforeEach(async () => {
      for (const [entity_type, record] of [
        ['tickets', '42-1'],
        ['tickets', '42-2'],
        ['tickets', '42-10/01'],
        ['accounts', '42-1'],
      ] as const) {
        await setAside(ops.store, {
          ...{ channel: slug, entity_type, record, position: 1, failure: 'refused' },
          ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
        });
      }
      await maria.get(`/ops/channels/${slug}`);
    });
    const released = async () =>
      (await listSetAside(ops.store, slug, { released: true })).map(
        ({ entity_type, record }) => `${entity_type}/${record}`,
      );

    slowTest('those that are ticked, and no others', async () => {
      await maria.submit(to('release'), { reason: 'fixed', record: ['tickets/42-2', 'accounts/42-1'], which: 'ticked' }); // prettier-ignore
      expect(await released()).toEqual(['accounts/42-1', 'tickets/42-2']);
      expect(ops.signals).toMatchObject([{ signal: 'settingsChanged', args: [{ reason: 'released' }] }]);
      expect(await kept()).toMatchObject([
        { about: '1 ticket, 1 account', outcome: 'Released 2. They are sent now.' },
      ]);
    });

    slowTest('as many as a page has, of the longest ids', async () => {
      const longest = Array.from({ length: 49 }, (_, index) => `tickets/${index}${'🌾'.repeat(190)}`);
      await maria.submit(to('release'), { reason: 'fixed', record: [...longest, 'tickets/42-2'], which: 'ticked' }); // prettier-ignore
      expect([maria.page.status, await released()]).toEqual([200, ['tickets/42-2']]);
    });

    test('one whose id has a slash', async () => {
      await maria.submit(to('release'), { reason: 'fixed', record: 'tickets/42-10/01', which: 'ticked' });
      expect(await released()).toEqual(['tickets/42-10/01']);
    });

    slowTest('all', async () => {
      await maria.submit(to('release'), { reason: 'fixed', which: 'all' });
      expect(await released()).toHaveLength(4);
    });

    nightlyTest.each<[string, Record<string, string>, string]>([
      ['none is ticked', { reason: 'fixed', which: 'ticked' }, 'Choose the records to send again'],
      ['no reason', { reason: '', which: 'all' }, 'Enter a reason'],
    ])('%s', async (_, fields, message) => {
      const page = await maria.submit(to('release'), fields);
      expect([page.status, textOf(page.html).includes(message)]).toEqual([422, true]);
      expect([await released(), signals(), await kept()]).toEqual([[], [], []]);
    });
  });

  describe.each(['pause', 'deliver'])('%s', (verb) => {
    test.each(['', '   ', 'x'.repeat(201), 'two\nlines'])('a reason of %j is none', async (reason) => {
      const page = await maria.submit(to(verb), { reason });
      expect([page.status, page.html.includes('<details open')]).toEqual([422, true]);
      expect([await kept(), signals()]).toEqual([[], []]);
      expect((await findChannel(ops.store, slug))!.state).toBe('active');
    });
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

  slowTest('when Temporal is away, pause and reset hold all the same, and the page says so', async () => {
    await start(false);
    await prepare();
    await startMarker(ops.store, slug, 'tickets', 25);
    const paused = await maria.submit(to('pause'), { reason: 'x' });
    expect(textOf(paused.html)).toContain('Temporal does not answer: the pause holds all the same');
    await maria.submit(to('resume'), { reason: 'x' });
    await maria.get(`${to('reset')}?entity_type=tickets&timestamp=2026-01-01T00:00`);
    const reset = await maria.submit(to('reset'), { reason: 'x' });
    expect(textOf(reset.html)).toContain(
      'about 3 pages. Temporal does not answer: the reset holds all the same',
    );
    expect((await readMarkers(ops.store, slug)).get('tickets')!.position).toBe(0);
    expect(await kept()).toHaveLength(3);
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

  test('every form of the table is tried', () => expect(FORMS).toHaveLength(9));

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
