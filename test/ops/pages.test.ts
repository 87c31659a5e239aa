import { raiseAlert } from '../../store/alerts/alerts';
import { findChannel, limitPageSize, pauseChannel } from '../../store/channels/channels';
import { addIntegration } from '../../store/callers/integrations';
import { notePushes } from '../../store/push/push-activity';
import { openAction, listActions } from '../../store/callers/operator-actions';
import { setAside } from '../../store/deliveries/set-aside';
import { closeChannel } from '../../store/sharing/close-channel';
import { textOf } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { plantScene } from './plant-scene';
import { startOps, TEMPORAL_UI, type Ops } from './start-ops';
import { addHostileChannel, HOSTILE } from './walk-ops';
import { slowTest } from '../setup/cases';
import { ROUTES } from '../../api/routes';
import { addOperator } from '../../store/callers/operators';
import type { OpsBrowser } from './ops-browser';
import { renderToString } from 'preact-render-to-string';
import { OPERATORS_DOOR } from '../../api/ops/operators-door';
import { askPage } from '../../api/channel/views/ask-page';
import { reset } from '../../control/reset';
import type { Resent } from '../../domain/records/count';

let ops: Ops;

describe('pages', () => {
  const HOUR = 3_600_000;

  beforeEach(async () => void (ops = await startOps()));

  async function see(path: string): Promise<string> {
    const browser = await ops.signedIn();
    return (await browser.get(path)).html;
  }

  slowTest('no channel yet: the page says what to type', async () => {
    const text = textOf(await see('/ops'));
    expect(text).toContain('There is no channel yet');
    expect(text).toContain(
      'gdx channel add acme --name "Acme Crop Insurance" --base-url https://acme.example --company 42',
    );
  });

  slowTest('failing first, the longest of them on top; then paused, stale, healthy', async () => {
    const names = ['well', 'stale', 'paused', 'failing', 'alerted', 'paused-failing', 'also-well'];
    for (const slug of names) await addTestChannel(ops.store, slug, 'https://acme.example');
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR);
    const failing = (since: Date) => ({ since, failure: 'gone', failure_since: since }) as const;
    const alert = { class: 'refused', subject: 'tickets', message: 'it answers 422' } as const;
    await raiseAlert(ops.store, { ...alert, channel: 'alerted' }, ago(2));
    for (const slug of ['paused', 'paused-failing']) await pauseChannel(ops.store, slug, 'because');
    const channels = ops.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'failing' }, { $set: { failing: failing(ago(1)) } });
    await channels.updateOne({ _id: 'paused-failing' }, { $set: { failing: failing(ago(9)) } });
    await channels.updateOne({ _id: 'stale' }, { $set: { created_at: ago(3) } });
    const html = await see('/ops');
    const order = [...html.matchAll(/href="\/ops\/channels\/([a-z-]+)"/g)].map(([, slug]) => slug);
    expect([...order.slice(0, 2), ...order.slice(2, 4).sort(), ...order.slice(4)]).toEqual([
      ...['alerted', 'failing', 'paused', 'paused-failing', 'stale', 'also-well', 'well'],
    ]);
    expect(textOf(html)).toContain('2 ✕ failing 2 ‖ paused 1 ! stale 2 ✓ healthy');
  });

  slowTest('the list says what is waiting, since when, and where to look in Temporal', async () => {
    await plantScene(ops.store);
    const text = textOf(await see('/ops'));
    expect(text).toMatch(/Acme Crop Insurance acme Acme Crop Insurance answered 503 .* 83 records oldest/);
    expect(text).toMatch(/Great Plains Hail hail – .* 0 records 99.98 % /);
    expect(text).toMatch(/Prairie Mutual prairie Their maintenance .* counted again when resumed 99.98 % /);
    const channel = textOf(await see('/ops/channels/hail'));
    expect(channel).toMatch(
      /On time on our side 99.98 % of 24,608 changes confirmed in time since .*, after 41 s on average/,
    );
    expect(await see('/ops')).toContain(`href="${TEMPORAL_UI}/namespaces/gdx/workflows/channel%2Facme"`);
  });

  test('closed channels stand apart, with the reason', async () => {
    await addTestChannel(ops.store, 'gone', 'https://gone.example', { name: 'Gone Insurance' });
    await closeChannel(ops.store, 'gone', 'contract ended');
    expect(textOf(await see('/ops'))).toMatch(/Closed Gone Insurance gone : contract ended \(/);
    const page = textOf(await see('/ops/channels/gone'));
    expect(page).toMatch(/Gone Insurance ■ closed Closed .*: contract ended\. It does not open again\./);
    expect(page).not.toContain('Pause');
    await ops.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'gone' });
  });

  slowTest('of what waits in several types the list shows the oldest', async () => {
    await plantScene(ops.store);
    const since = new Date(Date.now() - 5 * HOUR);
    const found = { to: 4, records: 2, more: false, since, at: new Date() };
    await ops.store.db
      .collection<{ _id: string }>('markers')
      .updateOne({ _id: 'acme/accounts' }, { $set: { position: 3, timestamp: since, found } });
    expect(await see('/ops')).toMatch(
      new RegExp(`85 records<small class="line">oldest <time datetime="${since.toISOString()}"`),
    );
  });

  test('the list of ERPs: those that are silent first', async () => {
    const [well, silent, regular] = await Promise.all(
      ['agris', 'agvance', 'regular'].map((name) =>
        addIntegration(ops.store, { name, company: { id: '42', name: 'Prairie Co-op' } }),
      ),
    );
    const noted = { first_at: new Date(), last_at: new Date(), records: 12, warnings: 3 };
    for (const { integration } of [well!, silent!, regular!])
      await notePushes(ops.store, integration._id, {
        ...noted,
        erp: integration.name,
        company: integration.company,
      });
    const usual = { usual_ms: 15 * 60_000, silent_at: new Date(Date.now() - HOUR) };
    const activity = ops.store.db.collection<{ _id: string }>('push_activity');
    await activity.updateOne({ _id: silent!.integration._id }, { $set: usual });
    const later = { ...usual, silent_at: new Date(Date.now() + HOUR) };
    await activity.updateOne({ _id: regular!.integration._id }, { $set: later });
    const text = textOf(await see('/ops'));
    expect(text.match(/silent since/g)).toHaveLength(1);
    expect(text).toMatch(
      /agvance of Prairie Co-op ! silent since .* 15m 12 records 3 warnings agris of .* not known yet/,
    );
  });

  describe('a channel’s page', () => {
    beforeEach(() => plantScene(ops.store));

    test('tells the markers, the day and what is learnt of the page size', async () => {
      const html = await see('/ops/channels/acme');
      const text = textOf(html);
      expect(text).toContain('tickets 1 running, 20 delivered, 2 failed, 1 superseded');
      expect(text).toContain('1,000, now 250 of tickets: the customer refused larger pages');
      await limitPageSize(ops.store, 'acme', 'tickets', 250, { cutOff: true });
      expect(textOf(await see('/ops/channels/acme'))).toContain('the customer did not answer larger pages');
      expect(html).toContain('role="img" aria-label="accounts: 8 delivered in the last 24 hours"');
      const marks = html.match(/<g><title>/g) ?? [];
      expect(marks).toHaveLength(8 + 24);
      expect(html).toMatch(
        /<title>[^<]* tickets failed: 0 records, 0 pages, 46\u00a0min\. Acme[^<]*<\/title>/,
      );
      expect(html).toContain(
        `${TEMPORAL_UI}/namespaces/gdx/workflows/delivery%2Facme%2Ftickets%2F47/0194c0de`,
      );
    });

    slowTest('shows what is shared, with endings of phones only', async () => {
      const text = textOf(await see('/ops/channels/lender'));
      expect(text).toContain('Meyer Farms 42-1001 LOAN-880');
      expect(text).toContain('By the phone ending in');
    });

    slowTest('the last confirmed page is the last of all its types', async () => {
      const at = new Date(Date.now() - 2 * HOUR);
      const markers = ops.store.db.collection<{ _id: string }>('markers');
      await markers.updateOne({ _id: 'hail/accounts' }, { $set: { delivered_at: at } });
      const last = (await markers.findOne({ _id: 'hail/tickets' })) as unknown as { delivered_at: Date };
      expect(await see('/ops/channels/hail')).toContain(
        `<dt>Last confirmed page</dt><dd><time datetime="${last.delivered_at.toISOString()}"`,
      );
    });

    slowTest('without an address of the Temporal UI there are ids instead of links', async () => {
      ops = await startOps({ ops: { temporalUiUrl: '' } });
      await plantScene(ops.store);
      const html = await see('/ops/channels/acme');
      expect(html).toContain('<code>channel/acme</code>');
      expect(html).not.toContain('/namespaces/');
    });
  });

  slowTest('no secret, no phone and no token is on any page', async () => {
    await plantScene(ops.store);
    const stored = await ops.store.db.collection('channels').find().toArray();
    const answer = '{"phone":"(701) 555-0142","for":"gdx_erp_abcdef","key":"whsec_abc/def="}';
    await setAside(ops.store, {
      channel: 'acme',
      entity_type: 'tickets',
      record: '42-1',
      position: 1,
      failure: 'refused',
      status: 422,
      answer,
      delivery: 'delivery/acme/tickets/1',
    });
    const browser = await ops.signedIn();
    const paths = ['/ops', ...stored.map(({ _id }) => `/ops/channels/${String(_id)}`), '/ops/channels/none'];
    for (const path of paths) {
      const { html } = await browser.get(path);
      const said = html.replace(/ name="(csrf|form)" value="[^"]*"/g, ''); // random, so they may have any digits
      expect(said).not.toMatch(/555.{0,3}01\d\d|their-secret|gdx_\w+_\w|whsec_\w/);
      expect(html).not.toContain('kept-hash');
      for (const { api_key_hashes } of stored) expect(html).not.toContain(api_key_hashes[0]);
      for (const secret of [ops.token, ...browser.cookies.values()]) expect(html).not.toContain(secret);
    }
  });

  slowTest('what others have typed is escaped, wherever it stands', async () => {
    await addHostileChannel(ops);
    await setAside(ops.store, {
      channel: 'hostile',
      entity_type: 'tickets',
      record: HOSTILE.slice(0, -4),
      position: 1,
      failure: 'refused',
      status: 422,
      answer: HOSTILE,
      delivery: 'delivery/x',
    });
    await raiseAlert(
      ops.store,
      { channel: 'hostile', class: 'gone', subject: 'tickets', message: HOSTILE },
      new Date(),
    );
    await openAction(ops.store, {
      _id: 'x',
      channel: 'hostile',
      action: 'pause',
      about: HOSTILE,
      by: HOSTILE,
      via: 'gdx',
      reason: HOSTILE,
      request_id: HOSTILE,
      before: {},
    });
    await pauseChannel(ops.store, 'hostile', HOSTILE);
    for (const path of ['/ops', '/ops/channels/hostile', '/ops/channels/hostile?status="><script>']) {
      const html = await see(path);
      expect(html).not.toMatch(/<script|<img|\u202e/);
    }
    const browser = await ops.signedIn();
    await browser.get('/ops/channels/hostile');
    const { html, headers } = await browser.submit('/ops/channels/hostile/resume', { reason: `${HOSTILE}\n` + 'x'.repeat(200) }); // prettier-ignore
    expect(html).not.toMatch(/<script|<img/);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect([headers['cache-control'], headers['x-frame-options']]).toEqual(['no-store', 'DENY']);
  });

  test('MongoDB away, draining, no such channel and a wrong method are answered as they should be', async () => {
    const browser = await ops.signedIn();
    expect((await browser.get('/ops/channels/nobody')).status).toBe(404);
    expect((await browser.get('/ops/channels/No%20Slug')).status).toBe(404);
    const wrong = await ops.ask('POST', '/ops');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
    ops.serving.phase = 'draining';
    const { status, html } = await browser.get('/ops');
    expect([status, textOf(html).includes('Not now')]).toEqual([503, true]);
  });
});

describe('roles', () => {
  const HOUR_MS = 3_600_000;

  let reader: OpsBrowser;
  beforeAll(async () => {
    ops = await startOps();
    await addTestChannel(ops.store, 'acme', 'https://acme.example');
    await setAside(ops.store, {
      ...{ channel: 'acme', entity_type: 'tickets', record: '42-1', position: 1, failure: 'refused' },
      ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
    });
    reader = await signedIn((await addOperator(ops.store, 'Ravi Read', 'read')).token);
  });

  async function signedIn(token: string): Promise<OpsBrowser> {
    const browser = ops.browser();
    await browser.get('/ops/sign-in');
    await browser.submit('/ops/sign-in', { token });
    return browser;
  }

  const sessions = () => ops.store.db.collection('operator_sessions');

  const ACTS = ROUTES.filter(({ caller, method, path }) => caller === 'operator' && method === 'POST' && !/sign-out/.test(path)); // prettier-ignore

  describe('who may only read', () => {
    test.each(ACTS.map(({ path }) => path.replace(':channel_slug', 'acme')))(
      'does not act: POST %s',
      async (path) => {
        await reader.get('/ops/channels/acme');
        const csrf = /name="csrf" value="([^"]*)"/.exec(reader.page.html)![1]!;
        const form = '5fe1a1b2-0000-4000-8000-000000000000';
        const fields = {
          csrf,
          form,
          reason: 'to see',
          which: 'all',
          entity_type: 'tickets',
          timestamp: '2026-10-01T00:00',
        };
        const page = await reader.follow('POST', path, String(new URLSearchParams(fields)));
        expect([page.status, textOf(page.html)]).toEqual([
          403,
          expect.stringContaining('Your role is read-only'),
        ]);
        expect(await listActions(ops.store, undefined, 9)).toEqual([]);
        expect(ops.signals).toEqual([]);
      },
    );

    test('sees every page, without the buttons', async () => {
      expect((await reader.get('/ops')).status).toBe(200);
      const { status, html } = await reader.get('/ops/channels/acme');
      expect([status, textOf(html)]).toEqual([200, expect.stringContaining('Your role is read-only')]);
      expect(html).toContain('42-1');
      expect([...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action)).toEqual([
        '/ops/sign-out',
        '/ops/channels/acme#deliveries',
        '/ops/channels/acme#record',
      ]);
      expect(
        (await reader.get('/ops/channels/acme/reset?entity_type=tickets&timestamp=2026-10-01')).status,
      ).toBe(403);
    });

    test('an operator without a role looks and does not act', async () => {
      const { token } = await addOperator(ops.store, 'Olga Old', 'operate');
      await ops.store.db.collection('operators').updateOne({ name: 'Olga Old' }, { $unset: { role: 1 } });
      const olga = await signedIn(token);
      const { html } = await olga.get('/ops/channels/acme');
      expect(textOf(html)).toContain('Your role is read-only');
      expect(html).not.toContain('action="/ops/channels/acme/pause"');
    });
  });

  describe('a session of /ops ends', () => {
    test('after 30 minutes without a page', async () => {
      const browser = await signedIn(ops.token);
      const { _id, expires_at } = (await sessions().find().sort({ expires_at: -1 }).limit(1).next())!;
      expect((expires_at.getTime() - Date.now()) / HOUR_MS).toBeCloseTo(0.5, 2);
      await sessions().updateOne({ _id }, { $set: { expires_at: new Date(Date.now() + 60_000) } });
      expect((await browser.get('/ops')).status).toBe(200);
      const later = (await sessions().findOne({ _id }))!;
      expect((later['expires_at'].getTime() - Date.now()) / HOUR_MS).toBeCloseTo(0.5, 2);
      await sessions().updateOne({ _id }, { $set: { expires_at: new Date() } });
      expect((await browser.get('/ops')).status).toBe(401);
    });

    test('after 8 hours, whatever happens meanwhile', async () => {
      const browser = await signedIn(ops.token);
      const { _id, ends_at } = (await sessions().find().sort({ ends_at: -1 }).limit(1).next())!;
      expect((ends_at.getTime() - Date.now()) / HOUR_MS).toBeCloseTo(8, 1);
      await sessions().updateOne({ _id }, { $set: { ends_at: new Date() } });
      expect((await browser.get('/ops')).status).toBe(401);
    });
  });
});

describe('reset page', () => {
  async function previewOf(resent: Resent): Promise<string> {
    const store = await emptyStore();
    await addTestChannel(store, 'acme', 'https://acme.example');
    const channel = (await findChannel(store, 'acme'))!;
    const context = {
      service: 'Grain',
      door: OPERATORS_DOOR,
      who: 'Maria',
      mayAct: true,
      csrf: 'x',
      now: new Date(),
    };
    const input = { entity_type: 'tickets', timestamp: new Date(0) } as const;
    const effect = { resent, starts: 'now' };
    return renderToString(askPage({ context, channel, deed: reset, input, effect, error: undefined }));
  }

  test('a reset of more than can be counted in time has its button, one of nothing has none', async () => {
    const large = await previewOf({ records: null, pages: null, at_least: 120_000 });
    expect(large).toContain('at least 120,000 tickets');
    expect(large).toContain('Reset and resend');
    expect(await previewOf({ records: 0, pages: 0 })).not.toContain('Reset and resend');
  });
});
