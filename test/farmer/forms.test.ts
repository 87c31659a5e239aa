import { listConsents } from '../../store/consent/consents';
import { verifyConsents } from '../../store/consent/verify-consents';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted } from '../../store/consent/subscriptions';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { otherThan } from './guess';
import { csrfOf, rowsIn, Visitor } from './visitor';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { consoleSender } from '../../api/farmer/sms/create-text-sender';
import pino from 'pino';
import { request } from 'node:http';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { holdForm } from '../setup/hold-form';

const FORM = 'application/x-www-form-urlencoded';

let farmers: Farmers;

describe('forms', () => {
  beforeAll(async () => {
    farmers = await startFarmers();
    await addFarmersChannel(farmers, 'bank', { name: 'Farm Bank', companies: ['43'] });
    await pushAccounts(farmers, accountsOf(PHONE, 3));
    await pushAccounts(farmers, accountsOf(OTHER_PHONE, 2, 100));
  });
  beforeEach(async () => {
    farmers.signals.length = 0;
    for (const name of ['subscriptions', 'consents']) await farmers.store.db.collection(name).deleteMany({});
  });

  const sharedNow = async () =>
    (await listGranted(farmers.store, 'acme')).map(({ account }) => account).sort();
  const consents = async () => {
    const farmer = await farmerIdOf(farmers.store, PHONE);
    return listConsents(farmers.store, { channel: 'acme', partner_id: 'policy-1', farmer });
  };

  async function atCheck(accounts: string[] = ['42-1']): Promise<Visitor> {
    const visitor = await farmers.verified();
    await visitor.submit({ account: accounts });
    expect(visitor.page.path).toBe('/subscriptions/check');
    return visitor;
  }

  describe('saved once', () => {
    slowTest('twenty taps at once', async () => {
      const visitor = await atCheck();
      const twins = Array.from({ length: 20 }, () => visitor.twin());
      await Promise.all(twins.map((twin) => twin.submit({ do: 'save' })));
      expect(new Set(twins.map(({ at }) => at))).toEqual(new Set(['200 /subscriptions/done']));
      expect((await consents()).map(({ act }) => act)).toEqual(['grant', 'refusal', 'refusal']);
      expect(farmers.signals).toHaveLength(1);
    });

    slowTest('the back button, and the same form again', async () => {
      const visitor = await atCheck();
      const old = visitor.twin();
      await visitor.submit({ do: 'save' });
      await visitor.get('/subscriptions/check');
      expect(visitor.page.path).toBe('/subscriptions/done');
      await old.submit({ do: 'save' });
      expect(old.at).toBe('200 /subscriptions/done');
      expect(await consents()).toHaveLength(3);
    });

    slowTest('a stale form: the choices were changed in another window', async () => {
      const visitor = await atCheck(['42-1', '42-2', '42-3']);
      const old = visitor.twin();
      await visitor.get('/subscriptions/accounts');
      await visitor.submit({ account: ['42-2'] });
      await old.submit({ do: 'save' });
      expect(old.at).toBe('409 /subscriptions/check');
      expect(old.text).toMatch(/changed after you opened it.*You will share 1 account/);
      expect(await consents()).toEqual([]);
      await old.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-2']);
    });

    test('what the channel carries was changed after it was read', async () => {
      const visitor = await atCheck();
      const channels = farmers.store.db.collection<{ _id: string }>('channels');
      const entity_types = ['accounts', 'contracts', 'tickets', 'settlements'];
      await channels.updateOne({ _id: 'acme' }, { $set: { entity_types } });
      await visitor.submit({ do: 'save' });
      await channels.updateOne({ _id: 'acme' }, { $set: { entity_types: entity_types.slice(0, 3) } });
      expect(visitor.page.status).toBe(409);
      expect(visitor.text).toContain('settlements');
      expect(await consents()).toEqual([]);
    });
  });

  test('each form with something wrong in it is answered by 303, so that Back posts nothing again', async () => {
    const seen: unknown[] = [];
    const visitor = farmers.visitor();
    const tap = async (fields: Record<string, string | string[]>) => {
      await visitor.submit(fields);
      seen.push([visitor.answered, visitor.page.status, visitor.page.path.replace(/.*\//, '')]);
    };
    await visitor.get(linkTo());
    await tap({ phone: '701555' });
    expect(visitor.page.html).toContain('value="701555"');
    await tap({ language: 'es', phone: '701 555' });
    expect(visitor.page.html).toContain('value="701 555"');
    await tap({ phone: '900 555 0142' });
    await tap({ phone: PHONE });
    await tap({ code: '12' });
    const code = farmers.sender.codeFor(PHONE);
    await tap({ code: otherThan(code) });
    await tap({ do: 'resend' });
    await tap({ language: 'en' });
    await tap({ code });
    await tap({});
    await tap({ account: '42-1', ends_on: '2020-01-01' });
    await tap({ account: '42-1', ends_on: '' });
    await farmers.store.db
      .collection('sessions')
      .updateMany({ 'check.form': { $exists: true } }, { $set: { 'check.form': 'x' } });
    await tap({ do: 'save' });
    await tap({ language: 'es' });
    await tap({ do: 'save' });
    await tap({ language: 'en' });
    await visitor.get('/subscriptions/cancelled');
    await tap({ language: 'es' });
    await visitor.post('/subscriptions/sign-out', new URLSearchParams({ csrf: csrfOf(visitor) }));
    seen.push([visitor.answered, visitor.page.status, visitor.page.path.replace(/.*\//, '')]);
    expect(visitor.page.html).toContain('<html lang="es">');
    expect(seen).toEqual([
      [303, 422, 'phone'],
      [303, 200, 'phone'],
      [303, 422, 'phone'],
      [303, 200, 'code'],
      [303, 422, 'code'],
      [303, 422, 'code'],
      [303, 422, 'code'],
      [303, 200, 'code'],
      [303, 200, 'accounts'],
      [303, 422, 'accounts'],
      [303, 422, 'accounts'],
      [303, 200, 'check'],
      [303, 409, 'check'],
      [303, 200, 'check'],
      [303, 200, 'done'],
      [303, 200, 'done'],
      [303, 200, 'cancelled'],
      [303, 200, 'sign-out'],
    ]);
  });

  describe('only from this session’s own page', () => {
    slowTest.each([
      ['no token', { csrf: '' }, {}],
      ['a made-up token', { csrf: Buffer.alloc(64).toString('base64url') }, {}],
      ['another site', {}, { origin: 'https://evil.example' }],
      ['another site that hides', {}, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['no site at all', {}, { origin: 'evil' }],
      ['another port of this machine', {}, { origin: 'http://127.0.0.1:1' }],
    ])('%s', async (_, fields, headers) => {
      const visitor = await atCheck();
      await visitor.submit({ do: 'save', ...fields }, headers as Record<string, string>);
      expect(visitor.page.status).toBe(403);
      expect(visitor.text).toContain('This page is out of date');
      expect([await consents(), await sharedNow()]).toEqual([[], []]);
    });

    const OWN = ['own', 'http://farmers.example'].map((origin) => ({ origin }));
    test.each([{ origin: '' }, { origin: 'null', 'sec-fetch-site': 'same-origin' }, ...OWN])(
      '%j passes',
      async (headers) => {
        const visitor = await atCheck();
        const origin = headers.origin === 'own' ? `http://127.0.0.1:${farmers.port}` : headers.origin;
        await visitor.submit({ do: 'save' }, { ...headers, origin } as Record<string, string>);
        expect(visitor.page.path).toBe('/subscriptions/done');
      },
    );

    slowTest('the page of another session, also of the same farmer', async () => {
      const [visitor, victim] = [await atCheck(), await atCheck(['42-2'])];
      const form = visitor.twin();
      form.cookie = victim.cookie;
      await form.submit({ do: 'save' });
      expect(form.page.status).toBe(403);
      expect(await sharedNow()).toEqual([]);
    });

    slowTest('a token is written anew on every page', async () => {
      const visitor = await atCheck();
      const token = () => csrfOf(visitor);
      const first = token();
      await visitor.get('/subscriptions/check');
      expect(token()).not.toBe(first);
    });

    test('JSON, a broken body and one too large are answered with a page', async () => {
      const visitor = await atCheck();
      await visitor.post('/subscriptions/check', '{}', { 'content-type': 'application/json' });
      expect([visitor.page.status, visitor.page.html.slice(0, 15)]).toEqual([400, '<!doctype html>']);
      await visitor.post('/subscriptions/check', `csrf=${'x'.repeat(1_100_000)}`);
      expect(visitor.page.status).toBe(400);
      await visitor.post('/subscriptions/check', 'csrf=a', { 'content-encoding': 'gzip' });
      expect(visitor.page.status).toBe(400);
      await visitor.post('/subscriptions/check', 'csrf=%ff%&=&&&');
      expect(visitor.page.status).toBe(403);
      await visitor.post('/subscriptions/check', '');
      expect(visitor.page.status).toBe(403);
    });
  });

  describe('only the farmer’s own accounts', () => {
    test('foreign and made-up ids in the form count for nothing', async () => {
      const visitor = await farmers.verified();
      const forged = ['42-1', '42-100', '42-101', '43-1', '$ne', '__proto__', ''];
      await visitor.submit({ account: forged });
      expect(visitor.text).toContain('You will share 1 account Meyer Farms 1');
      await visitor.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-1']);
      expect((await consents()).map(({ account }) => account)).toEqual(['42-1', '42-2', '42-3']);
    });

    test('only foreign ones are none', async () => {
      const visitor = await farmers.verified();
      await visitor.submit({ account: ['42-100'] });
      expect(visitor.at).toBe('422 /subscriptions/accounts');
    });

    slowTest('10,001 ids', async () => {
      const visitor = await farmers.verified();
      const ids = Array.from({ length: 10_001 }, (_, index) => `42-${index}`);
      await visitor.submit({ account: ids });
      expect(visitor.text).toContain('You will share 3 accounts');
      await visitor.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-1', '42-2', '42-3']);
    });

    slowTest('an account that came up after the page was shown is neither granted nor declined', async () => {
      const visitor = await farmers.verified();
      await pushAccounts(farmers, accountsOf(PHONE, 1, 77));
      await visitor.submit({ account: ['42-1', '42-77'] });
      const latest = { sort: { expires_at: -1 } } as const;
      expect(await farmers.store.db.collection('sessions').findOne({}, latest)).toMatchObject({
        ticked: ['42-1'],
      });
      await visitor.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-1']);
      expect((await consents()).map(({ account }) => account)).not.toContain('42-77');
      await pushAccounts(farmers, accountsOf('7015550000', 1, 77));
    });

    test('an account that lost the phone between choosing and saving is not granted', async () => {
      const visitor = await atCheck(['42-1', '42-3']);
      await pushAccounts(farmers, accountsOf('7015550000', 1, 3));
      await visitor.submit({ do: 'save' });
      expect([visitor.page.status, await sharedNow()]).toEqual([409, []]);
      expect(visitor.text).toContain('You will share 1 account Meyer Farms 1');
      await visitor.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-1']);
      await pushAccounts(farmers, accountsOf(PHONE, 1, 3));
    });

    slowTest('an account that came up and was shared in another visit is not stopped unseen', async () => {
      const visitor = await atCheck(['42-1']);
      await pushAccounts(farmers, accountsOf(PHONE, 1, 78));
      await farmers.share(['42-78']);
      await visitor.submit({ do: 'save' });
      expect(visitor.page.status).toBe(409); // it says that this one goes on, too
      await visitor.submit({ do: 'save' });
      expect(await sharedNow()).toEqual(['42-1', '42-78']);
      await pushAccounts(farmers, accountsOf('7015550000', 1, 78));
    });

    test('a deleted account is not offered', async () => {
      const [closed] = accountsOf(PHONE, 1, 55);
      await pushAccounts(farmers, [{ ...closed, deleted_at: '2026-11-01T00:00:00Z' }]);
      const visitor = await farmers.verified();
      expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual(['42-1', '42-2', '42-3']);
    });

    test('a channel offers only the accounts of its companies', async () => {
      await pushAccounts(farmers, [{ id: '1', name: 'Valley account', phones: [{ phone: PHONE }] }], {
        id: '43',
        name: 'Valley Grain',
      });
      const visitor = await farmers.verified({ partner_slug: 'bank' });
      expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual(['43-1']);
    });
  });

  slowTest('without a proven phone nothing can be reached, and nothing saved', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    const form = visitor.twin();
    for (const step of ['accounts', 'check', 'done', 'done?receipt', 'receipt']) {
      await visitor.get(`/subscriptions/${step}`);
      expect(visitor.page.path).toMatch(/phone$|code$/);
    }
    for (const step of ['accounts', 'check', 'done']) {
      const posted = { csrf: csrfOf(form), account: '42-1', do: 'save' };
      await visitor.post(`/subscriptions/${step}`, new URLSearchParams(posted));
      expect(visitor.page.path).toMatch(/phone$|code$/);
    }
    expect(await sharedNow()).toEqual([]);
  });

  test('the ledger comes first: without it nothing takes effect, and the farmer is told', async () => {
    const visitor = await atCheck();
    const collection = farmers.store.db.collection.bind(farmers.store.db);
    const ledger = Object.assign(Object.create(collection('consents')), {
      insertMany: () => Promise.reject(new Error('the ledger is full')),
    });
    farmers.store.db.collection = ((name: string) =>
      name === 'consents' ? ledger : collection(name)) as typeof collection;
    await visitor.submit({ do: 'save' });
    farmers.store.db.collection = collection;
    expect(visitor.page.status).toBe(503);
    expect(visitor.page.html).not.toMatch(/ledger|at Object/);
    expect([await consents(), await sharedNow()]).toEqual([[], []]);
  });

  test('an altered entry is found and named', async () => {
    const visitor = await atCheck();
    await visitor.submit({ do: 'save' });
    await farmers.store.db
      .collection<{ _id: string }>('consents')
      .updateOne({ _id: 'acme/2' }, { $set: { act: 'grant' } });
    expect(await verifyConsents(farmers.store, 'acme')).toMatchObject({ ok: false, broken: 'acme/2' });
  });

  slowTest('a form that is refused leaves its room to the next', async () => {
    const small = await startFarmers({ limits: { formBytesInFlight: 40 * 1024 } });
    const visitor = small.visitor();
    await visitor.get(linkTo());
    const long = new URLSearchParams({ csrf: 'x', phone: '7'.repeat(20_000) });
    const statuses = [];
    for (let time = 0; time < 4; time++)
      statuses.push((await visitor.twin().post('/subscriptions/phone', long)).status);
    await visitor.submit({});
    expect([statuses, visitor.page.path]).toEqual([[400, 400, 400, 400], '/subscriptions/code']);
  });

  test('sixteen held forms of one verified session leave room for the forms of everybody else', async () => {
    const shared = await startFarmers({ limits: { formBytesInFlight: 16_000_000 } });
    const holder = await shared.verified();
    const form = { csrf: csrfOf(holder), account: 'x'.repeat(999_900) }; // a million bytes
    for (let time = 0; time < 16; time++)
      await holdForm(shared, '/subscriptions/accounts', { cookie: holder.cookie, form });
    const { visitor, code } = await shared.asked(OTHER_PHONE);
    await visitor.submit({ code });
    expect(visitor.at).toBe('200 /subscriptions/accounts');
  });

  test('all visits of an address that have proven no phone have one share of what all forms may hold', async () => {
    const strict = await startFarmers({ limits: { formBytesOfOwner: 100 } });
    const [first, again, other] = ['203.0.113.9', '203.0.113.9', '203.0.113.10'].map(async (address) => {
      const visitor = new Visitor(strict.port, { 'x-forwarded-for': address });
      await visitor.get(linkTo());
      return visitor;
    });
    await holdsShare(strict, await first!, { itself: await again!, other: await other! });
  });

  test('all visits of a proven phone have one share', async () => {
    const strict = await startFarmers({ limits: { formBytesOfOwner: 100 } });
    const [first, again, other] = [{}, {}, { phone: OTHER_PHONE }].map((of) => strict.verified(of));
    await holdsShare(strict, await first!, { itself: await again!, other: await other! });
  });

  /** A form of which sixty of a hundred bytes have come takes its room from these visits, and from no other. */
  async function holdsShare(
    { port }: Farmers,
    holder: Visitor,
    { itself, other }: { itself: Visitor; other: Visitor },
  ): Promise<void> {
    const path = '/subscriptions/phone';
    const headers = { ...holder.headers, cookie: holder.cookie, 'content-type': FORM, 'content-length': 200 };
    const begun = request({ port, method: 'POST', path, headers });
    const posted = new URLSearchParams({ csrf: 'x', phone: '1'.repeat(50) });
    const status = async (from: Visitor) => (await from.twin().post(path, posted)).status;
    begun.on('error', () => undefined).write('x'.repeat(60));
    await eventually(async () => expect(await status(itself)).toBe(429));
    expect(await status(other)).toBe(403); // it was read
    begun.destroy();
    await eventually(async () => expect(await status(itself)).toBe(403));
  }

  test('too many requests from one address: a page, not JSON', async () => {
    const strict = await startFarmers({ limits: { visitsPerMinute: 2 } });
    const visitor = strict.visitor();
    await visitor.get(linkTo());
    await visitor.get('/subscriptions/phone');
    expect([visitor.page.status, visitor.page.html.slice(0, 15)]).toEqual([429, '<!doctype html>']);
  });
});

describe('secrets out', () => {
  const PLANTED = '7015557391';
  const SPELLINGS = [PLANTED, '701-555-7391', '(701) 555', '+17015557391'];

  slowTest('a phone is in no log line, no later address and no error page', async () => {
    farmers = await startFarmers();
    const printed: string[] = [];
    const printing = consoleSender(pino({ level: 'trace' }, { write: (line) => printed.push(line) }));
    await pushAccounts(farmers, accountsOf(PLANTED, 2));
    farmers.sender.outcome = async () => {
      await printing.send({ to: `+1${PLANTED}`, body: '123456 is your code' });
    };
    const visitor = farmers.visitor();
    const errorPages: string[] = [];
    const keep = async (page: Promise<{ html: string }>) => void errorPages.push((await page).html);

    await keep(visitor.get(linkTo({ phone: PLANTED, callback_url: 'https://evil.example' })));
    await keep(visitor.get(`/subscriptions/nothing?phone=${PLANTED}`));
    await keep(visitor.get(`/subscriptions/code?phone=${PLANTED}`));
    for (const encoded of ['%3Fphone=', '&phone=', '/%2B1'])
      await farmers.visitor().get(`/subscriptions${encoded}${PLANTED}`);
    await visitor.get(linkTo({ phone: PLANTED }));
    await visitor.get(`/subscriptions/phone?phone=${PLANTED}`);
    await visitor.submit({ phone: '(701) 555-7391' });
    await visitor.submit({ code: '000000' });
    await visitor.submit({ code: farmers.sender.codeFor(PLANTED) });
    await visitor.submit({ account: ['42-1', PLANTED] });
    await keep(visitor.twin().submit({ csrf: PLANTED }));
    const collection = farmers.store.db.collection.bind(farmers.store.db);
    farmers.store.db.collection = ((name: string) => {
      if (name === 'consents') throw Object.assign(new Error('away'), { phone: PLANTED });
      return collection(name);
    }) as typeof collection;
    await keep(visitor.twin().submit({ do: 'save' }));
    farmers.store.db.collection = collection;
    await visitor.submit({ do: 'save' });
    await visitor.get('/subscriptions/receipt');
    farmers.sender.outcome = async () => {
      throw new Error('provider says no');
    };
    await visitor.get(linkTo({ phone: PLANTED }));
    await visitor.submit({});
    await whenAllIsDone();
    await keep(visitor.get('/subscriptions/code'));
    await farmers.stop();

    const logged = JSON.stringify(farmers.lines) + printed.join('');
    expect(farmers.lines.length).toBeGreaterThan(15);
    expect(errorPages).toHaveLength(6);
    for (const html of errorPages)
      expect(html).toMatch(/does not work|NOT_FOUND|has ended|out of date|cannot do|not send/);
    for (const spelling of SPELLINGS) {
      expect(logged).not.toContain(spelling);
      expect(errorPages.join('')).not.toContain(spelling);
      for (const path of visitor.paths) if (path.includes(spelling)) expect(path).toContain('?');
    }
    expect(logged).not.toContain('Meyer');
  });
});
