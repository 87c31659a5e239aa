import { raiseAlert } from '../../store/feed/alerts';
import { pauseChannel } from '../../store/feed/channels';
import { addIntegration } from '../../store/access/integrations';
import { notePushes } from '../../store/push/push-activity';
import { openAction } from '../../store/access/operator-actions';
import { setAside } from '../../store/feed/set-aside';
import { textOf } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { plantScene } from './plant-scene';
import { startOps, TEMPORAL_UI, type Ops } from './start-ops';
import { addHostileChannel, HOSTILE } from './walk-ops';
import { slowTest } from '../setup/cases';

const HOUR = 3_600_000;

let ops: Ops;
beforeEach(async () => void (ops = await startOps({ store: await emptyStore() })));
afterEach(() => ops.stop());

async function see(path: string): Promise<string> {
  const browser = await ops.signedIn();
  return (await browser.get(path)).html;
}

test('no channel yet: the page says what to type', async () => {
  const text = textOf(await see('/ops'));
  expect(text).toContain('There is no channel yet');
  expect(text).toContain(
    'gdx channel add acme --name "Acme Crop Insurance" --base-url https://acme.example --company 42',
  );
});

test('failing first, the longest of them on top; then paused, stale, healthy', async () => {
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

test('the list says what is waiting, since when, and where to look in Temporal', async () => {
  await plantScene(ops.store);
  const text = textOf(await see('/ops'));
  expect(text).toMatch(/Acme Crop Insurance acme Acme Crop Insurance answered 503 .* 83 records oldest/);
  expect(text).toMatch(/Great Plains Hail hail – .* 0 records /);
  expect(await see('/ops')).toContain(`href="${TEMPORAL_UI}/namespaces/gdx/workflows/channel%2Facme"`);
});

test('of what waits in several types the list shows the oldest', async () => {
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
    await notePushes(ops.store, integration._id, { ...noted, erp: integration.name });
  const usual = { usual_ms: 15 * 60_000, silent_at: new Date(Date.now() - HOUR) };
  await ops.store.db
    .collection<{ _id: string }>('push_activity')
    .updateOne({ _id: silent!.integration._id }, { $set: usual });
  await ops.store.db
    .collection<{ _id: string }>('push_activity')
    .updateOne(
      { _id: regular!.integration._id },
      { $set: { ...usual, silent_at: new Date(Date.now() + HOUR) } },
    );
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
    expect(text).toContain('1,000, now 250: the customer refused larger pages');
    expect(html).toContain('role="img" aria-label="accounts: 8 delivered in the last 24 hours"');
    const marks = html.match(/<g><title>/g) ?? [];
    expect(marks).toHaveLength(8 + 24);
    expect(html).toMatch(/<title>[^<]* tickets failed: 0 records, 0 pages, 46\u00a0min\. Acme[^<]*<\/title>/);
    expect(html).toContain(`${TEMPORAL_UI}/namespaces/gdx/workflows/delivery%2Facme%2Ftickets%2F47/0194c0de`);
  });

  slowTest('lists deliveries by type and status, page by page, each once', async () => {
    const browser = await ops.signedIn();
    const rows = () =>
      [...browser.page.html.matchAll(/workflows\/delivery%2Facme%2F(\w+)%2F(\d+)/g)].map(
        ([, type, run]) => `${type}/${run}`,
      );
    await browser.get('/ops/channels/acme?entity=tickets&status=failed&after=');
    expect(rows()).toEqual(['tickets/47', 'tickets/39']);
    await browser.get('/ops/channels/acme');
    const first = rows();
    const older = /href="([^"]*after=[^"]*)">Older/.exec(browser.page.html)![1]!.replace(/&amp;/g, '&');
    await browser.get(older);
    expect(new Set([...first, ...rows()]).size).toBe(34);
    expect(browser.page.html).toContain('Newest deliveries');
    expect((await browser.get('/ops/channels/acme?status=perhaps')).status).toBe(422);
  });

  slowTest('shows what is shared, with endings of phones only', async () => {
    const text = textOf(await see('/ops/channels/lender'));
    expect(text).toContain('Meyer Farms 42-1001 LOAN-880');
    expect(text).toContain('By the phone ending in');
  });

  test('the last confirmed page is the last of all its types', async () => {
    const at = new Date(Date.now() - 2 * HOUR);
    const markers = ops.store.db.collection<{ _id: string }>('markers');
    await markers.updateOne({ _id: 'hail/accounts' }, { $set: { delivered_at: at } });
    const last = (await markers.findOne({ _id: 'hail/tickets' })) as unknown as { delivered_at: Date };
    expect(await see('/ops/channels/hail')).toContain(
      `<dt>Last confirmed page</dt><dd><time datetime="${last.delivered_at.toISOString()}"`,
    );
  });

  slowTest('without an address of the Temporal UI there are ids instead of links', async () => {
    const other = await startOps({ ops: { temporalUiUrl: '' } });
    await plantScene(other.store);
    const browser = await other.signedIn();
    const { html } = await browser.get('/ops/channels/acme');
    await other.stop();
    expect(html).toContain('<code>channel/acme</code>');
    expect(html).not.toContain('/namespaces/');
  });
});

test('no secret, no phone and no token is on any page', async () => {
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

test('what others have typed is escaped, wherever it stands', async () => {
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
