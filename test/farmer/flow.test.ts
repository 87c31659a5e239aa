import { endGrants } from '../../control/end-grants';
import { revokesOf, shareAccounts } from '../../control/share-accounts';
import { findChannel } from '../../store/channels/channels';
import { listConsents } from '../../store/consent/consents';
import { verifyConsents } from '../../store/consent/verify-consents';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted, readSharedAccounts, subscriptions } from '../../store/consent/subscriptions';
import { hearingSignals } from '../api/start-api';
import {
  accountsOf,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { rowsIn, type Visitor } from './visitor';
import { slowTest } from '../setup/cases';

let farmers: Farmers;

describe('flow', () => {
  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 2));
    await pushAccounts(farmers, [{ id: '9', name: 'Aker Brothers', phones: [{ phone: PHONE }] }], {
      id: '43',
      name: 'Valley Grain',
    });
    await pushAccounts(farmers, accountsOf(OTHER_PHONE, 1, 100));
  });
  afterEach(async () => {
    farmers.signals.length = 0;
    for (const name of ['subscriptions', 'consents']) await farmers.store.db.collection(name).deleteMany({});
  });

  const sharedNow = async () => (await listGranted(farmers.store, 'acme')).map(({ account }) => account);
  const acts = async (partner_id = 'policy-1', phone = PHONE) => {
    const farmer = await farmerIdOf(farmers.store, phone);
    const consents = await listConsents(farmers.store, { channel: 'acme', partner_id, farmer });
    return consents.map(({ act, account }) => `${act} ${account}`);
  };

  test('from the link to the customer: phone, code, accounts, check, done', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    expect(visitor.page.path).toBe('/subscriptions/phone');
    expect(visitor.page.html).toContain('value="701-555-0142"');
    expect(visitor.text).toContain(
      'Acme Crop Insurance asks your grain companies (elevator, co-op) for your records',
    );

    await visitor.submit({});
    expect(visitor.page.path).toBe('/subscriptions/code');
    const code = farmers.sender.codeFor(PHONE);
    expect(farmers.sender.texts.at(-1)).toEqual({
      to: `+1${PHONE}`,
      body: `${code} is your Grain Data Exchange code. Acme Crop Insurance asked for it. Tell no one. Who sees your data: http://farmers.example/sharing\n\n@farmers.example #${code}`,
    });
    expect(visitor.page.html).not.toContain(code);

    await visitor.submit({ code });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
    expect(rowsIn(visitor.page.html)).toEqual([
      { id: '43-9', ticked: false, text: 'Aker Brothers Valley Grain · account 9' },
      { id: '42-1', ticked: false, text: 'Meyer Farms 1 Prairie Co-op · account 1' },
      { id: '42-2', ticked: false, text: 'Meyer Farms 2 Prairie Co-op · account 2' },
    ]);

    await visitor.submit({ account: ['42-1', '43-9'] });
    const check = visitor.text;
    expect(visitor.page.path).toBe('/subscriptions/check');
    expect(check).toContain('You will share 2 accounts Aker Brothers Valley Grain · 9 Meyer Farms 1');
    expect(check).toMatch(/name and phone numbers contracts scale tickets/);
    expect(check).not.toMatch(/settlements|Meyer Farms 2/);
    expect(check).toContain('About hourly, if anything changed.');
    expect(check).toContain('Their reference for you: policy-1');
    expect(check).toContain('Share my records with Acme Crop Insurance');
    expect(await sharedNow()).toEqual([]);

    await visitor.submit({ do: 'save' });
    expect(visitor.page.path).toBe('/subscriptions/done');
    expect(visitor.page.html).toContain('href="/subscriptions/leave"');
    expect(visitor.text).toContain('Reference: acme-2'); // of what is shared, not of what was left out
    expect((await sharedNow()).sort()).toEqual(['42-1', '43-9']);
    expect(await acts()).toEqual(['grant 43-9', 'grant 42-1', 'refusal 42-2']);
    expect(farmers.signals).toEqual([
      { slug: 'acme', signal: 'subscriptionsChanged', args: [{ request_id: expect.any(String) }] },
    ]);
    expect(await verifyConsents(farmers.store, 'acme')).toMatchObject({ ok: true, links: 3 });
    expect(visitor.paths.filter((path) => path.includes(PHONE))).toEqual([linkTo()]);

    await visitor.get('/subscriptions/receipt');
    expect(visitor.page.headers['content-disposition']).toBe('attachment; filename="receipt.txt"');
    expect(visitor.page.html).toMatch(/Shared now: \r\n- Aker Brothers .*\r\n- Meyer Farms 1 /);
    expect(visitor.page.html).toMatch(/acme-3 .* Not shared: Meyer Farms 2/);
    expect(visitor.page.html).toMatch(
      /acme-1 .* Shared: Aker Brothers.*\r\n {2}With: .*\r\n {2}- name and phone numbers\r\n/,
    );
    expect(visitor.page.html.match(/^ {2}- /gm)).toHaveLength(10); // three types, what else is on them, and from when, of two accounts
    expect(visitor.page.html).not.toContain(PHONE);
    expect(visitor.page.html.match(/\b[0-9a-f]{64}\b/g)).toHaveLength(3); // a checksum of each entry
    await visitor.get('/subscriptions/done?receipt');
    expect(visitor.text).toMatch(/acme-3 .* Not shared: Meyer Farms 2/);
    expect(visitor.text).not.toMatch(/[0-9a-f]{64}/);
  });

  test('a name that ends lines and turns directions is one line of the receipt, and spelled out on each page', async () => {
    const name = 'Meyer\n- Every account of yours\u202e\u009b2J\u001b]0;x\u0007\u2028';
    const account = { id: '7\u202e', name, phones: [{ phone: OTHER_PHONE }] };
    await pushAccounts(farmers, [account], { id: '44', name: `Co-op\u2066\n- another` });
    const visitor = await farmers.share(['44-7\u202e'], { phone: OTHER_PHONE, partner_id: 'hostile' });
    const seen: string[] = [];
    for (const step of ['accounts', 'done', 'done?receipt', 'receipt'])
      seen.push((await visitor.get(`/subscriptions/${step}`)).html);
    for (const html of seen) expect(html).not.toMatch(/(?![\n\r])[\p{Cc}\p{Bidi_Control}\u2028]/u);
    for (const html of seen.slice(2)) expect(html).not.toMatch(/\n- (Every|another)/);
    expect(seen.at(-1)).toMatch(
      /^- Meyer\\u000a- Every account of yours\\u202e\\u009b2J\\u001b\]0;x\\u0007\\u2028 \(Co-op/m,
    );
  });

  describe('behind a proxy that no setting counts', () => {
    const open = (headers: Record<string, string>) => farmers.ask('GET', linkTo(), { headers });
    const from = (address: string) => open({ 'x-forwarded-for': `198.51.100.1, ${address}` });

    test.each([
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.9' },
      { host: 'farm.example' },
    ])('codes on the screen are for this machine alone: %j', async (headers) => {
      expect((await open(headers)).status).toBe(303);
      farmers.sender.showsCodes = true;
      try {
        const { status, text } = await open(headers);
        expect([status, text]).toEqual([421, expect.stringContaining('not open here')]);
        for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000', 'farmers.example'])
          expect([host, (await open({ host })).status]).toEqual([host, 303]);
      } finally {
        farmers.sender.showsCodes = false;
      }
    });

    test('one farmer’s limit is not everybody’s', async () => {
      await farmers.forgetAttempts();
      expect((await from('203.0.113.9')).status).toBe(303);
      const counts = farmers.store.db.collection<{ _id: string }>('attempt_counts');
      await counts.updateMany({}, { $set: { points: 600 } });
      expect((await from('203.0.113.9')).status).toBe(429);
      expect((await from('203.0.113.10')).status).toBe(303);
      await farmers.forgetAttempts();
    });
  });

  slowTest.each([
    ['en', /What you chose.*Shared now: .*Meyer Farms 1/s],
    ['es', /Lo que usted eligió.*Compartido ahora: .*Meyer Farms 1/s],
  ])('the receipt can be seen and downloaded: %s', async (language, text) => {
    const visitor = await farmers.share(['42-1']);
    await visitor.submit({ language });
    const done = visitor.page;
    const links = [...done.html.matchAll(/href="([^"]*receipt)"/g)].map(([, href]) => href!);
    const answers = [];
    for (const link of links) answers.push(await visitor.get(link));
    expect(answers.map(({ headers }) => [headers['content-type'], headers['content-disposition']])).toEqual([
      ['text/html; charset=utf-8', undefined],
      ['text/plain; charset=utf-8', 'attachment; filename="receipt.txt"'],
    ]);
    const strict = ['content-security-policy', 'referrer-policy', 'x-frame-options', 'cache-control'];
    for (const { headers, html } of answers) {
      expect(strict.map((name) => headers[name])).toEqual(strict.map((name) => done.headers[name]));
      expect(html).toMatch(text);
    }
  });

  test('on return the own choices are ticked; what is unticked is revoked; the same again is unchanged', async () => {
    let visitor = await farmers.share(['42-1', '42-2']);

    visitor = await farmers.verified();
    expect(
      rowsIn(visitor.page.html)
        .filter(({ ticked }) => ticked)
        .map(({ id }) => id),
    ).toEqual(['42-1', '42-2']);
    await visitor.submit({ account: ['42-2'] });
    expect(visitor.text).toMatch(
      /You keep sharing 1 account Meyer Farms 2 .*You will stop sharing 1 account Meyer Farms 1 .*Save my choices/,
    );
    await visitor.submit({ do: 'save' });
    expect(visitor.text).toMatch(
      /Your choices are saved .*Meyer Farms 2 .*You stopped sharing Meyer Farms 1\. What happens/,
    );
    expect(await sharedNow()).toEqual(['42-2']);
    await visitor.submit({ language: 'es' });
    expect(visitor.text).toContain('Usted dejó de compartir Meyer Farms 1.');

    farmers.signals.length = 0;
    visitor = await farmers.verified();
    await visitor.submit({});
    expect(visitor.text).toContain('You share the same accounts as before');
    await visitor.submit({ do: 'save' });
    expect(visitor.text).toMatch(/Nothing has changed Reference: acme-4 /);
    expect(visitor.text).not.toContain('You stopped sharing');
    expect(farmers.signals).toEqual([]);
    expect(await acts()).toEqual(['grant 42-1', 'grant 42-2', 'refusal 43-9', 'revoke 42-1']);

    visitor = await farmers.verified();
    await visitor.submit({ account: [] });
    expect(visitor.text).toContain('Stop sharing with Acme Crop Insurance');
    expect(visitor.text).toMatch(/show its answer at http\S+\/sharing\./); // no other sentence has named the place
    await visitor.submit({ do: 'save' });
    expect(visitor.text).toContain('Through this link you share nothing with Acme Crop Insurance');
    expect(await sharedNow()).toEqual([]);
  });

  slowTest(
    'the receipt says who ended what: the operator on the farmer’s word, or the end that was chosen',
    async () => {
      const { store, verified } = farmers;
      const visitor = await verified();
      await visitor.save({ account: ['42-1', '42-2'] });
      const { temporal } = hearingSignals();
      const channel = (await findChannel(store, 'acme'))!;
      const ofFirst = (await listGranted(store, 'acme')).filter(({ account }) => account === '42-1');
      const revokes = revokesOf(channel, ofFirst, { reason: 'Ruth called', request_id: 'r' });
      await shareAccounts({ store, temporal }, channel, { revokes }, { requestId: 'r' });
      await subscriptions(store).updateMany({ state: 'granted' }, { $set: { ends_at: new Date(0) } });
      await endGrants({ store, temporal }, new Date());
      const { html } = await visitor.get('/subscriptions/receipt');
      expect(html).toMatch(/Stopped: Meyer Farms 1 .*\r\n.*\r\n {2}By our staff: Ruth called/);
      expect(html).toMatch(
        /Stopped: Meyer Farms 2 .*\r\n.*\r\n {2}By itself, after the last day that you had chosen/,
      );
    },
  );

  slowTest('another partner_id sees nothing of it', async () => {
    let visitor = await farmers.share(['42-1'], { partner_id: 'policy-1' });
    visitor = await farmers.verified({ partner_id: 'policy-2' });
    expect(rowsIn(visitor.page.html).some(({ ticked }) => ticked)).toBe(false);
    expect(visitor.page.html).not.toContain('Shared');
    expect((await visitor.get('/subscriptions/receipt')).html).toMatch(/Shared now: nothing/);
  });

  slowTest(
    'what is stopped through one link goes on through another, and the last page claims no more than that',
    async () => {
      let visitor = await farmers.share(['42-1'], { partner_id: 'policy-2' });
      visitor = await farmers.share(['42-1'], { partner_id: 'policy-1' });
      expect(visitor.text).toContain('Through this link you share 1 account with Acme');
      await visitor.get('/subscriptions/accounts');
      await visitor.save({ account: [] });
      expect(visitor.text).toMatch(
        /Through this link you share nothing with Acme.* What is shared through another link, or by somebody else, goes on: see “Who sees my grain data”\./,
      );
      await visitor.submit({ language: 'es' });
      expect(visitor.text).toMatch(
        /Por este enlace usted no comparte nada con Acme.* otro enlace.* vea “Quién ve mis datos de granos”\./,
      );
      await subscriptions(farmers.store).updateMany({}, { $set: { to_begin: [] } }); // as if the catch-ups had begun
      const { accounts } = await readSharedAccounts(farmers.store, 'acme', 'tickets');
      expect([...accounts]).toEqual(['42-1']);
    },
  );

  slowTest('under another partner_id nothing shows of who else shares an account', async () => {
    await pushAccounts(farmers, [
      { id: '60', name: 'Both', phones: [{ phone: PHONE }, { phone: OTHER_PHONE }] },
    ]);
    await farmers.share(['42-60'], { phone: OTHER_PHONE, partner_id: 'policy-1' });
    const rowAs = async (partner_id: string) =>
      rowsIn((await farmers.verified({ partner_id })).page.html).find(({ id }) => id === '42-60')?.text;
    expect(await rowAs('policy-1')).toContain('ending in 99');
    expect(await rowAs('policy-2')).not.toContain('99');
  });

  test('nothing ticked is asked about, and leaving changes nothing', async () => {
    const visitor = await farmers.verified();
    await visitor.submit({});
    expect(visitor.at).toBe('422 /subscriptions/accounts');
    expect(visitor.text).toContain('There is a problem Choose at least one account');
    expect(visitor.page.html).toContain('<title>Error: ');
    await visitor.get('/subscriptions/cancelled');
    expect(visitor.page.html).toContain('href="/subscriptions/leave?cancelled"');
    expect(await acts()).toEqual([]);
  });

  slowTest(
    'a changed phone: listed with the old number for whoever granted, not inherited by the new one',
    async () => {
      await pushAccounts(farmers, accountsOf(PHONE, 1, 50));
      let visitor = await farmers.share(['42-50']);
      await pushAccounts(farmers, accountsOf(OTHER_PHONE, 1, 50));

      visitor = await farmers.verified({ phone: OTHER_PHONE });
      const row = rowsIn(visitor.page.html).find(({ id }) => id === '42-50');
      expect(row).toMatchObject({
        ticked: false,
        text: expect.stringContaining('Shared from the number ending in 42'),
      });
      await visitor.save({ account: ['42-100'] });
      expect((await sharedNow()).sort()).toEqual(['42-100', '42-50']);

      visitor = await farmers.verified();
      const mine = rowsIn(visitor.page.html).find(({ id }) => id === '42-50');
      expect(mine).toMatchObject({
        ticked: true,
        text: expect.stringContaining('Shared from the number ending in 42'),
      });
      await visitor.save({ account: [] });
      expect(await sharedNow()).toEqual(['42-100']);
      visitor = await farmers.verified();
      expect(rowsIn(visitor.page.html).map(({ id }) => id)).not.toContain('42-50');
    },
  );
});

describe('go on', () => {
  const DONE = '/subscriptions/done';
  const STAYING = '/subscriptions/done?stay';
  const LEAVE = '/subscriptions/leave';

  beforeAll(async () => {
    farmers = await startFarmers({ farmer: { goOnAfterS: 20 } });
    await pushAccounts(farmers, accountsOf(PHONE, 2));
  });
  beforeEach(() => farmers.forgetAttempts());

  const saved = (partner_id: string) => farmers.share(['42-1'], { partner_id });
  const refreshOf = ({ page }: Visitor) => page.headers['refresh'];
  const leave = ({ cookie }: Visitor) =>
    farmers.ask('GET', LEAVE, { headers: cookie === undefined ? {} : { cookie } });
  /** What the customer is told of who leaves without changes. */
  const statusUnchanged = async ({ cookie }: Visitor) => {
    const { headers } = await farmers.ask('GET', `${LEAVE}?cancelled`, { headers: { cookie: cookie! } });
    return new URL(String(headers['location'])).searchParams.getAll('status');
  };

  test('after saving the page goes on by itself after 20 seconds, and says so', async () => {
    const visitor = await saved('goes-on');
    expect(refreshOf(visitor)).toBe(`20; url=${LEAVE}`);
    expect(visitor.text).toContain('This page takes you on to Acme Crop Insurance in 20 seconds.');
    await visitor.submit({ language: 'es' });
    expect(refreshOf(visitor)).toBe(`20; url=${LEAVE}`);
    expect(visitor.text).toContain('Esta página pasará a Acme Crop Insurance en 20 segundos.');
  });

  slowTest('when nothing has changed, too', async () => {
    const visitor = await saved('unchanged');
    await visitor.get('/subscriptions/accounts');
    await visitor.save({ account: ['42-1'] });
    expect([visitor.page.path, refreshOf(visitor)]).toEqual([DONE, `20; url=${LEAVE}`]);
    expect((await leave(visitor)).headers['location']).toBe(
      'https://acme.example/back?case=7&status=unchanged&partner_id=unchanged',
    );
  });

  test('who leaves without changes is told as cancelled, but after a save as what was saved', async () => {
    expect(await statusUnchanged(await farmers.verified({ partner_id: 'left' }))).toEqual(['cancelled']);
    const visitor = await saved('saved-and-left');
    await visitor.get('/subscriptions/accounts');
    expect(await statusUnchanged(visitor)).toEqual(['saved']);
  });

  test('who has chosen again after a save and leaves without changes is told as what was saved', async () => {
    const visitor = await saved('chosen-again');
    await visitor.get('/subscriptions/accounts');
    await visitor.submit({ account: ['42-1', '42-2'] });
    expect(visitor.page.path).toBe('/subscriptions/check');
    expect((await leave(visitor)).headers['location']).toBe(DONE); // the choice is open
    expect(await statusUnchanged(visitor)).toEqual(['saved']);
    const shared = await listGranted(farmers.store, 'acme', 'chosen-again');
    expect(shared.map(({ account }) => account)).toEqual(['42-1']);
  });

  slowTest('who stays, stays: in either language, and behind the receipt', async () => {
    const visitor = await saved('stays');
    expect(visitor.page.html).toContain(`href="${STAYING}"`);
    const stays = () => {
      expect([visitor.page.path, visitor.page.status, refreshOf(visitor)]).toEqual([STAYING, 200, undefined]);
      expect(visitor.page.html).not.toMatch(/20 se[cg]/);
      expect(visitor.page.html).toContain(`href="${LEAVE}"`);
    };
    await visitor.get(STAYING);
    stays();
    await visitor.submit({ language: 'es' });
    stays();
    await visitor.get(`${DONE}?receipt`);
    expect([visitor.page.status, refreshOf(visitor)]).toEqual([200, undefined]);
    expect(visitor.page.html).toContain(`href="${STAYING}"`);
  });

  slowTest(
    'the way out leads to the address of the link, its query byte for byte, and nowhere before something was saved',
    async () => {
      expect((await leave(await saved('leaves'))).headers['location']).toBe(
        'https://acme.example/back?case=7&status=saved&partner_id=leaves',
      );
      const own = '?state=Policy%204711&flag&sig=a~b(c)&status=theirs&r=%zz+é';
      const partner_id = 'policy 1/2+3=&%';
      const theirs = await farmers.share(['42-1'], {
        partner_id,
        callback_url: `https://ACME.example${own}#a?b`,
      });
      expect((await leave(theirs)).headers['location']).toBe(
        `https://acme.example/${own.replace('é', '%C3%A9')}&status=saved&partner_id=policy%201%2F2%2B3%3D%26%25#a?b`,
      );
      const fresh = farmers.visitor();
      expect((await leave(fresh)).status).toBe(403);
      await fresh.get(linkTo());
      expect((await leave(fresh)).headers['location']).toBe('/subscriptions/code');
      const choosing = await farmers.verified({ partner_id: 'choosing' });
      const { status, headers } = await leave(choosing);
      expect([status, headers['location'], headers['cache-control']]).toEqual([303, DONE, 'no-store']);
    },
  );
});
