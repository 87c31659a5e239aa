import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import type { AlertClass } from '../../domain/deliveries/alert-class';
import { raiseAlert } from '../../store/alerts/alerts';
import { findChannel, pauseChannel, resumeChannel, channelKeys } from '../../store/channels/channels';
import { lastNotice } from '../../store/alerts/customer-notices';
import { startMarker } from '../../store/markers/markers';
import { setAside } from '../../store/deliveries/set-aside';
import { listActions, openAction } from '../../store/callers/operator-actions';
import { type Subscription, subscriptions } from '../../store/consent/subscriptions';
import { DEFAULT_LIMITS } from '../../api/limits/limits';
import { rotateSigningSecret } from '../../store/channels/signing-secrets';
import { newLinkKey } from '../../store/secrets/link-keys';
import { countAttempt, forgetAttempts } from '../../store/codes/attempt-counts';
import { accounts, hearingSignals, integrationToken, pushOf, startApi } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { textOf } from '../farmer/visitor';
import type { OpsBrowser } from '../ops/ops-browser';
import { plantScene } from '../ops/plant-scene';
import { startOps, type Ops } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { pushRecords } from '../setup/push-records';
import { tryKey } from './customer-browser';
import { nightlyTest, slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { holdForm } from '../setup/hold-form';

let ops: Ops;
let acme: OpsBrowser;

beforeEach(async () => {
  ops = await startOps();
  const { apiKey } = await addTestChannel(ops.store, 'own', 'https://acme.example', { page_size: 10 });
  await addTestChannel(ops.store, 'foreign', 'https://foreign.example', { name: 'Foreign Mutual' });
  acme = await tryKey(ops, apiKey);
});

const kept = () => listActions(ops.store, 'own', 20);
const secrets = async (slug = 'own') => (await findChannel(ops.store, slug))!.signing_secrets;
const refuse = (channel: string, record: string) =>
  setAside(ops.store, {
    ...{ channel, entity_type: 'tickets', record, position: 1, failure: 'refused' },
    ...{ status: 422, answer: 'unknown crop', delivery: 'delivery/x' },
  });

const alert = (kind: AlertClass, message: string) =>
  raiseAlert(ops.store, { channel: 'own', class: kind, subject: 'tickets', message }, new Date());

describe('the page', () => {
  slowTest('counts no more of what was set aside than it has read', async () => {
    for (let index = 100; index < 151; index++) await refuse('own', `42-${index}`);
    expect(textOf((await acme.get('/customer')).html)).toContain('(50+)');
  });

  slowTest('of a new channel says what is not there yet', () => {
    const text = textOf(acme.page.html);
    for (const words of [
      'Nothing has been sent yet',
      'No record is set aside',
      'nothing yet',
      'Nothing yet.',
    ])
      expect(text).toContain(words);
    expect(text).toContain('pages are posted');
    expect(acme.page.html).not.toMatch(/\/ops|gdx |Temporal|<script/);
  });

  test('says why the channel is paused, and offers nothing that is the operator’s', async () => {
    await pauseChannel(ops.store, 'own', 'Their maintenance');
    const { html } = await acme.get('/customer');
    expect(textOf(html)).toMatch(/paused .*Paused .*: Their maintenance/);
    expect([...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action)).toEqual([
      '/customer/sign-out',
      '/customer/reset',
      '/customer/test',
      '/customer/resend',
      '/customer/notify',
      '/customer#deliveries',
      '/customer#record',
      '/customer/production',
    ]);
  });

  slowTest('shows failures with the answers, refused records and what is pending', async () => {
    await plantScene(ops.store);
    await ops.store.db.collection('channels').deleteOne({ _id: 'own' as never });
    for (const name of ['markers', 'deliveries', 'alerts'])
      await ops.store.db.collection(name).updateMany({ channel: 'acme' }, { $set: { channel: 'own' } });
    await addTestChannel(ops.store, 'own', 'https://acme.example').then(async ({ apiKey }) => {
      acme = await tryKey(ops, apiKey);
    });
    await refuse('own', '42-T-17');
    const text = textOf((await acme.get('/customer')).html);
    expect(text).toContain('answered 503');
    expect(text).toContain('unknown crop');
    expect(text).toContain('42-T-17');
    expect(text).not.toMatch(/7015550142|701-555-0142/);
    expect(textOf((await acme.get('/customer?status=failed&entity=tickets')).html)).toContain(
      'not confirmed',
    );
  });

  slowTest('says nothing fails where it is ours that does', async () => {
    await alert('infrastructure', 'mongo-3 is away');
    expect((await acme.get('/customer')).html).not.toContain('badge failing');
    expect((await (await ops.signedIn()).get('/ops/channels/own')).html).toContain('badge failing');
  });

  slowTest('tells nothing of our own trouble, of addresses inside, or of what operators wrote', async () => {
    const inside = 'acme.example points to 10.9.8.7, a private address';
    await alert('misconfigured', inside);
    await alert('infrastructure', 'mongo-3 is away');
    await alert('stale', 'nobody looked after the worker');
    await alert('codes', '250 wrong codes were entered');
    await plantScene(ops.store);
    const reason = 'acme.example points to 10.9.8.6, a private address';
    const failed_attempts = [{ at: new Date(), failure: 'misconfigured', status: null, reason, answer: '' }];
    await ops.store.db
      .collection('deliveries')
      .updateMany({ status: 'failed' }, { $set: { channel: 'own', failed_attempts } });
    const ours = { failure: 'infrastructure', failure_message: 'MongoDB or a worker failed; see gdx doctor' };
    await ops.store.db.collection('deliveries').updateOne({ status: 'failed' }, { $set: ours });
    const paused =
      'Acme has a base URL that points to 10.9.8.5, a private address: call them, then gdx channel resume own';
    await pauseChannel(ops.store, 'own', paused);
    await openAction(ops.store, {
      ...{ _id: randomUUID(), channel: 'own', action: 'deliver', about: '', by: 'Maria Lopez', via: '/ops' },
      ...{ reason: 'their contact is rude', request_id: 'x', before: {} },
    });
    const text = textOf((await acme.get('/customer')).html);
    expect(text).toContain('points to a private address');
    expect(text).toContain('1 not confirmed: acme.example points to a private address');
    expect(text).toContain('Something failed on our side');
    expect(text).not.toMatch(/10\.9\.8|mongo-3|rude|Maria|gdx|MongoDB|worker|wrong codes/);
    await resumeChannel(ops.store, 'own');
  });
});

const cookieOf = ({ cookies }: OpsBrowser) => [...cookies].map((pair) => pair.join('=')).join('; ');

test('what a lane waits for is said without the address inside', async () => {
  const why = 'acme.example points to 10.9.8.4, a private address';
  const known = [{ entity_type: 'tickets', state: 'waiting', until: null, why } as const];
  const temporal = { ...hearingSignals().temporal, lanes: async () => ({ known: [...known] }) };
  const api = await startApi({ store: ops.store, temporal });
  const { text } = await api.ask('GET', '/customer', { headers: { cookie: cookieOf(acme) } });
  await api.stop();
  expect(textOf(text)).toContain('waiting: acme.example points to a private address');
});

/** Asks so often for the page at once, while Temporal does not answer. @returns the statuses meanwhile, and with its answer */
async function holdPages(most: number, asked: number) {
  const halt = stopHere();
  const lanes = () => halt.here().then(() => ({ known: [] }));
  const temporal = { ...hearingSignals().temporal, lanes };
  const api = await startApi({ store: ops.store, temporal, limits: { requestsInProgressOfCustomer: most } });
  const headers = { cookie: cookieOf(acme) };
  const refused: number[] = [];
  const asking = Array.from({ length: asked }, async () => {
    const { status } = await api.ask('GET', '/customer', { headers });
    refused.push(status);
    return status;
  });
  const pages = Promise.allSettled(asking); // those that are cut off at the end, too
  try {
    await eventually(() => expect(refused).toHaveLength(asked - most), 20_000);
    const during = [...refused];
    const token = (await channelKeys.rotate(ops.store, 'own', 60_000))!.token;
    const own = await api.ask('GET', '/api/v1/channels/own/markers', { token });
    const erp = await integrationToken(ops.store);
    const push = await api.ask('POST', '/api/v1/push', { token: erp, body: pushOf(accounts(1)) });
    halt.goOn();
    const answers = (await pages).flatMap((page) => (page.status === 'fulfilled' ? page.value : []));
    const shown = answers.filter((status) => status === 200).length;
    return { during, own: own.status, push: push.status, shown };
  } finally {
    halt.goOn();
  }
}

test('pages of a customer take the places of its requests to the API, and nobody else’s', async () => {
  const { during, ...rest } = await holdPages(2, 5);
  expect(during).toEqual([429, 429, 429]);
  expect(rest).toEqual({ own: 429, push: 204, shown: 2 });
});

nightlyTest('of sixty held pages of a customer 32 are shown', async () => {
  const { during, ...rest } = await holdPages(DEFAULT_LIMITS.requestsInProgressOfCustomer, 60);
  expect(during).toEqual(Array(28).fill(429));
  expect(rest).toEqual({ own: 429, push: 204, shown: 32 });
});

test('pages of a customer count with its requests of a minute', async () => {
  const api = await startApi({ store: ops.store, limits: { requestsPerMinute: 60 } });
  for (const minute of [0, 1]) {
    const key = `requests/channel/own/${Math.floor(Date.now() / 60_000) + minute}`;
    await countAttempt(ops.store, key, { limit: 60, windowMs: 60_000 }, 60);
  }
  const { status, headers, text } = await api.ask('GET', '/customer', {
    headers: { cookie: cookieOf(acme) },
  });
  await api.stop();
  expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  expect(textOf(text)).toContain('Too many requests');
});

test('a customer is not asked why it tests its own endpoint', async () => {
  const { html } = await acme.get('/customer');
  expect(/action="\/customer\/test".*?<\/form>/s.exec(html)![0]).not.toContain('reason');
  expect(html).toContain('name="reason"'); // of what changes something
  const page = await acme.submit('/customer/test', {});
  expect([page.status, page.path]).toEqual([200, expect.stringMatching(/^\/customer\?did=/)]);
  expect(page.html).not.toContain('Enter a reason');
});

test('all sessions of a customer have one share of what forms may hold', async () => {
  const api = await startApi({ store: ops.store, limits: { formBytesOfOwner: 100 } });
  const again = await tryKey(ops, (await channelKeys.rotate(ops.store, 'own', 60_000))!.token);
  const statusOf = async () => {
    const headers = { cookie: cookieOf(again), 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await api.ask('POST', '/customer/test', { headers, body: `csrf=${'x'.repeat(93)}` });
    const said = String(answer.headers['set-cookie']).split(';')[0];
    return (await api.ask('GET', '/customer', { headers: { cookie: `${cookieOf(again)}; ${said}` } })).status;
  };
  expect(await statusOf()).toBe(403); // it was read
  const form = { csrf: 'x', reason: 'y'.repeat(50) };
  const goOn = await holdForm(api, '/customer/test', { cookie: cookieOf(acme), form });
  await eventually(async () => expect(await statusOf()).toBe(429));
  await goOn();
  expect(await statusOf()).toBe(403);
});

test('an account’s records are sent again one at a time, whether the page asks or the API', async () => {
  await pushRecords(ops.store, { tickets: [{ id: 'T-1', account_id: '1001' }] });
  const halt = stopHere();
  const store = rewire(ops.store, async ({ collection, run }) => {
    if (collection === 'set_aside') await halt.here();
    return run();
  });
  const slow = await startApi({ store });
  const token = (await channelKeys.rotate(ops.store, 'own', 60_000))!.token;
  const asked = { entity_type: 'tickets', account: '42-1001' };
  const first = slow.ask('POST', '/api/v1/channels/own/resend', { token, body: asked });
  await halt.reached;
  await acme.get('/customer');
  const page = await acme.submit('/customer/resend', { ...asked, reason: 'because' });
  halt.goOn();
  await first;
  await slow.stop();
  expect([page.status, textOf(page.html)]).toEqual([
    422,
    expect.stringContaining('Another account is being sent'),
  ]);
});

const share = (ends_at?: Date | null, more: Partial<Subscription> = {}) =>
  subscriptions(ops.store).insertOne({
    ...{
      _id: `share-${more.account ?? 1}`,
      channel: 'own',
      partner_id: 'LOAN-880',
      farmer: 'kept-hash',
      phone_ending: '42',
    },
    ...{ account: '42-1001', state: 'granted', to_begin: [], version: 1, since: new Date(), ended_at: null },
    ...(ends_at !== undefined && { ends_at }),
    ...more,
  });

slowTest('nothing of the farmers’ phones, which only operators see', async () => {
  await share();
  expect((await acme.get('/customer')).html).not.toMatch(/LOAN-880|phone ending/);
  const { html } = await (await ops.signedIn()).get('/ops/channels/own');
  expect(textOf(html)).toMatch(/phone ending.*LOAN-880/);
});

test.each([
  ['no end', undefined],
  ['no end', null],
  ['2031-11-21', new Date('2031-11-22T00:00:00Z')],
])('operators see until when an account is shared: %s', async (until, ends_at) => {
  await share(ends_at);
  const { html } = await (await ops.signedIn()).get('/ops/channels/own');
  expect(textOf(html)).toMatch(new RegExp(`(now|ago) the earlier ones too ${until} 42`));
});

test('operators see who shares only what is new, and what was asked and said of deletions; the customer sees how many are left', async () => {
  const at = new Date('2026-11-21T15:04:00Z');
  const ended = (account: string, asked_at: Date | null, confirmed_at: Date | null) =>
    share(null, { account, state: 'revoked', ended_at: at, deletion: { asked_at, confirmed_at } });
  const from = { accounts: 1, contracts: 1, tickets: 1, settlements: 1 };
  await share(null, { account: '42-1', from });
  await ended('42-2', null, null);
  await ended('42-3', at, null);
  await ended('42-4', at, at);
  await share(null, { account: '42-5', state: 'revoked', ended_at: at, deletion: null });
  const seen = textOf((await (await ops.signedIn()).get('/ops/channels/own')).html);
  const row = (account: string) => new RegExp(`42-${account} LOAN-880 (.*?) 42 `).exec(seen)?.[1];
  expect(row('1')).toMatch(/only what is new since no end$/);
  expect(row('2')).toMatch(/the request is not known to be offered$/);
  expect(row('3')).toMatch(/offered .*, not confirmed$/);
  expect(row('4')).toMatch(/offered .*, confirmed .* ago$/);
  expect(row('5')).toMatch(/not asked for: somebody else shares it$/);
  expect(textOf((await acme.get('/customer')).html)).toContain(
    'To delete 2 accounts that nobody shares any more: GET /api/v1/channels/own/subscriptions?ended=true lists them',
  );
});

test('operators see whether a channel’s links to farmers are signed', async () => {
  await addTestChannel(ops.store, 'lender', 'https://lender.example', { scope: 'subscribed' });
  const maria = await ops.signedIn();
  const links = async () =>
    /Links to farmers (\w+)/.exec(textOf((await maria.get('/ops/channels/lender')).html))?.[1];
  expect(await links()).toBe('unsigned');
  await newLinkKey(ops.store, 'lender', 0);
  expect(await links()).toBe('signed');
});

test('a customer whose resets of this minute are used up reads so, and nothing is reset', async () => {
  await pushRecords(ops.store, { tickets: [{ id: 'T-1', account_id: '1001' }] });
  await startMarker(ops.store, 'own', 'tickets', 1);
  await countAttempt(ops.store, 'reset/own', { limit: 60, windowMs: 60_000 }, 60);
  await acme.get('/customer/reset?entity_type=tickets&timestamp=2026-01-01T00:00');
  const { status, html } = await acme.submit('/customer/reset', { reason: 'We restored a backup' });
  await forgetAttempts(ops.store, ['reset/own']);
  expect([status, textOf(html)]).toEqual([429, expect.stringContaining('Wait 1 minute')]);
  expect([await kept(), ops.signals]).toEqual([[], []]);
});

test.each([
  ['test', 'test', 60, 60_000],
  ['notify', 'channel set', 20, 3_600_000],
  ['resend', 'resend', 600, 60_000],
])(
  'of each action a customer may do 60 a minute, resend more, and set fewer addresses: %s',
  async (form, recorded, most, windowMs) => {
    const count = (times: number) =>
      countAttempt(ops.store, `${recorded}/own`, { limit: most, windowMs }, times);
    const act = async () => {
      await acme.get('/customer');
      return (
        await acme.submit(`/customer/${form}`, {
          reason: 'again',
          entity_type: 'tickets',
          account: '42-1001',
        })
      ).status;
    };
    await count(most - 1);
    expect([await act(), await act()]).toEqual([200, 429]);
    expect(await kept()).toHaveLength(1);
    await forgetAttempts(ops.store, [`${recorded}/own`]);
  },
);

test('an account of which nothing is the channel’s: nothing is sent, and the page says so', async () => {
  await acme.get('/customer');
  const page = await acme.submit('/customer/resend', { entity_type: 'tickets', account: '42-none', reason: 'x' }); // prettier-ignore
  expect(textOf(page.html)).toContain('None of these records belong to the channel: nothing is sent.');
  expect(ops.signals).toEqual([]);
});

describe('the notification address', () => {
  const set = async (notify_url: string, reason = 'our new monitor') => {
    await acme.get('/customer');
    return acme.submit('/customer/notify', { notify_url, reason });
  };
  const stored = async () => (await findChannel(ops.store, 'own'))!.notify_url;

  slowTest('is set, shown, told first of itself, recorded, and removed', async () => {
    const done = await set(' https://monitor.acme.example/gdx ');
    expect(textOf(done.html)).toMatch(/Done\. Set the notification address.*within some minutes/);
    expect(textOf(done.html)).toContain('Notification address https://monitor.acme.example/gdx');
    expect(await lastNotice(ops.store, 'own')).toMatchObject({ type: 'notifications.begun', sent_at: null });
    expect(await kept()).toMatchObject([{ action: 'channel set', about: 'notify_url', via: '/customer' }]);
    await set('');
    expect([await stored(), textOf(acme.page.html).includes('Notification address none')]).toEqual([
      '',
      true,
    ]);
  });
});

describe('the signing secret', () => {
  beforeEach(() => acme.get('/customer/rotate-secret'));
  const rotate = (fields: Record<string, string> = {}) =>
    acme.submit('/customer/rotate-secret', { reason: 'yearly', ...fields });

  slowTest('is shown once, is stored sealed, and the old one signs for 24 hours', async () => {
    const twin = acme.twin();
    const { status, html } = await rotate();
    const secret = /whsec_[A-Za-z0-9+/=]{44}/.exec(html)?.[0];
    expect([status, secret !== undefined, /whpk_/.test(html)]).toEqual([200, true, true]);
    const [newest, old, ...more] = await secrets();
    expect([newest!.expires_at, more]).toEqual([undefined, []]);
    expect((old!.expires_at!.getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    const again = await twin.submit('/customer/rotate-secret', { reason: 'yearly' });
    expect(textOf(again.html)).toContain('Nothing was changed again.');
    expect(again.html).not.toContain('whsec_');
    expect(await secrets()).toHaveLength(2);
    const page = await acme.get('/customer');
    expect(textOf(page.html)).toContain('Rotated the signing secret');
    const everywhere = JSON.stringify([page.html, ops.lines, await kept()]);
    expect(everywhere).not.toContain(secret);
    expect(await kept()).toMatchObject([
      { action: 'channel rotate-secret', by: 'Acme Crop Insurance', via: '/customer', outcome: 'Done.' },
    ]);
    expect(await secrets('foreign')).toHaveLength(1);
  });

  test('is dropped at once where it has leaked, however many sign', async () => {
    for (let time = 0; time < 3; time++) await rotateSigningSecret(ops.store, 'own', { atOnce: false });
    await rotate({ at_once: 'yes' });
    expect(textOf(acme.page.html)).toContain('already expired');
    expect(await secrets()).toHaveLength(1);
  });
});

describe('a link for a farmer', () => {
  const link = { partner_id: 'policy-7', phone: '(701) 555-0142', days: '7', reason: 'they called' };
  beforeEach(async () => {
    const settings = { scope: 'subscribed' as const, callback_origins: ['https://lender.example'] };
    const { apiKey } = await addTestChannel(ops.store, 'lender', 'https://lender.example', settings);
    acme = await tryKey(ops, apiKey);
  });
  const make = async (changes: Record<string, string> = {}) => {
    await acme.get('/customer/link');
    return acme.submit('/customer/link', { ...link, ...changes });
  };

  test('is signed, opens the farmer’s page, and is recorded without whom it is for', async () => {
    expect(acme.page.html).toContain('href="/customer/link"');
    expect(textOf((await make()).html)).toContain('no key to sign links with');
    await newLinkKey(ops.store, 'lender', 0);
    const [, shown] = /<code>http[^/]*\/\/[^/]*([^<]*)</.exec((await make()).html)!;
    const { status, headers } = await ops.ask('GET', shown!.replaceAll('&amp;', '&'));
    expect([status, headers['location']]).toEqual([303, '/subscriptions/phone']);
    const recorded = await listActions(ops.store, 'lender', 20);
    expect(recorded).toMatchObject([
      { action: 'channel link', about: '', via: '/customer', outcome: 'Done.' },
    ]);
    expect(recorded).toHaveLength(1);
    expect(JSON.stringify([recorded, ops.lines])).not.toMatch(/policy-7|555-?0142/);
  });

  test('is not for a channel that gets every record without a farmer’s grant', async () => {
    acme = await tryKey(ops, (await channelKeys.rotate(ops.store, 'own', 60_000))!.token);
    expect(acme.page.html).not.toContain('href="/customer/link"');
    expect(textOf((await make()).html)).toContain('every record without a farmer’s grant');
  });
});

const FORMS = ROUTES.filter(({ method, path }) => method === 'POST' && path.startsWith('/customer')).map(({ path }) => path); // prettier-ignore

test('every form of the table is tried', () => expect(FORMS).toHaveLength(9));

slowTest('none takes a form that is not of this session and this site', async () => {
  const csrfOn = ({ page }: OpsBrowser) => / name="csrf" value="([^"]*)"/.exec(page.html)![1]!;
  const { apiKey } = await addTestChannel(ops.store, 'beside', 'https://beside.example');
  const other = await tryKey(ops, apiKey);
  await refuse('own', '42-1');
  const form = (csrf: string) =>
    String(
      new URLSearchParams({
        ...{ csrf, reason: 'because', form: randomUUID(), which: 'all', token: apiKey },
        ...{ entity_type: 'tickets', timestamp: '2026-10-01T00:00:00Z' },
      }),
    );
  const lies: [string, Record<string, string>, number][] = [
    [form(''), {}, 403],
    [form(Buffer.alloc(64).toString('base64url')), {}, 403],
    [form(csrfOn(other)), {}, 403],
    [form(csrfOn(acme)), { 'sec-fetch-site': 'cross-site' }, 403],
    [form(csrfOn(acme)), { origin: 'https://evil.example' }, 403],
    ['{}', { 'content-type': 'application/json' }, 400],
  ];
  for (const path of FORMS) {
    for (const [body, headers, status] of lies) {
      const twin = acme.twin();
      expect([path, (await twin.follow('POST', path, body, headers)).status]).toEqual([path, status]);
      expect(twin.cookies.get('gdx-customer')).toBe(acme.cookies.get('gdx-customer'));
    }
  }
  expect([ops.signals, await kept()]).toEqual([[], []]);
  expect(await secrets()).toHaveLength(1);
  expect((await acme.get('/customer')).status).toBe(200);
});
