import { csrfOf, rowsIn, type Visitor } from './visitor';
import {
  accountsOf,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
  addFarmersChannel,
} from './start-farmers';
import { listConsents } from '../../store/consent/consents';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted } from '../../store/consent/subscriptions';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { emptyStore } from '../setup/open-store';
import { otherThan } from './guess';
import { slowTest } from '../setup/cases';

let farmers: Farmers;

describe('sessions', () => {
  const ACCOUNTS = '/subscriptions/accounts';
  const LEAVE = '/subscriptions/leave';

  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 2));
  });
  beforeEach(async () => {
    await farmers.forgetAttempts();
    await sessions().deleteMany({});
  });

  const sessions = () => farmers.store.db.collection('sessions');
  /** What this cookie opens. */
  const opened = async (cookie: string | undefined, path = ACCOUNTS) => {
    const { status, headers } = await farmers.ask('GET', path, { headers: { cookie: cookie ?? '' } });
    return headers['location'] ?? status;
  };

  /** Beside it a browser keeps that of its known phones. */
  const sessionIn = ({ cookie }: Visitor) => /\bgdx=[^;]*/.exec(cookie ?? '')?.[0];

  describe('a session id that somebody knew before the code was entered', () => {
    test('opens nothing after it, and its form tokens neither', async () => {
      const { visitor, code } = await farmers.asked();
      const known = visitor.twin();
      await visitor.submit({ code });
      expect(visitor.page.path).toBe(ACCOUNTS);
      expect(visitor.cookie).not.toBe(known.cookie);
      for (const path of [ACCOUNTS, '/subscriptions/phone', '/subscriptions/done', LEAVE])
        expect([path, await opened(known.cookie, path)]).toEqual([path, 403]);
      known.cookie = visitor.cookie;
      const chosen = new URLSearchParams({ csrf: csrfOf(known), account: '42-1' });
      expect(await known.post(ACCOUNTS, chosen)).toMatchObject({ status: 403 });
    });

    test('leads to the new one with the code alone, three times at most', async () => {
      const { visitor, code } = await farmers.asked();
      const attacker = visitor.twin();
      await visitor.submit({ code });
      const wrong = otherThan(code);
      for (const guessed of [wrong, wrong, wrong, code])
        expect(await attacker.twin().submit({ code: guessed })).toMatchObject({ status: 403 });
    });
  });

  test('two taps on the code lead to one session, whichever answer the browser keeps', async () => {
    const { visitor, code } = await farmers.asked();
    const second = visitor.twin();
    await visitor.submit({ code });
    await second.submit({ code: ` ${code} ` });
    expect(second.at).toBe(`200 ${ACCOUNTS}`);
    expect(sessionIn(second)).toBe(sessionIn(visitor));
  });

  test('a second tap that comes from another site leads nowhere', async () => {
    const { visitor, code } = await farmers.asked();
    const second = visitor.twin();
    await visitor.submit({ code });
    const foreign = await second.twin().submit({ code }, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers['set-cookie']]).toEqual([403, undefined]);
    await second.submit({ code });
    expect(second.page.path).toBe(ACCOUNTS);
  });

  test('the form of the code, sent again under the new id, leads on', async () => {
    const { visitor, code } = await farmers.asked();
    const before = visitor.page;
    await visitor.submit({ code });
    visitor.page = before;
    await visitor.submit({ code });
    expect(visitor.at).toBe(`200 ${ACCOUNTS}`);
  });

  describe('a visit ends', () => {
    const MINUTE = 60_000;
    /** How many minutes it goes on for. */
    const left = async (of: object, end = 'ends_at') => {
      const session = (await sessions().findOne(of))!;
      return ((session[end] as Date).getTime() - Date.now()) / MINUTE;
    };

    slowTest.each([
      ['30 minutes after the last page', 'expires_at', 30],
      ['8 hours after it began, whatever happens meanwhile', 'ends_at', 480],
    ])('%s', async (_, end, minutes) => {
      const visitor = await farmers.verified();
      expect(await left({ verified: true }, end)).toBeCloseTo(minutes, -1);
      await sessions().updateMany({}, { $set: { [end]: new Date(Date.now() - 1) } });
      expect(await opened(visitor.cookie)).toBe(403);
    });

    slowTest('an hour after it began where no code was entered, also for another phone', async () => {
      await farmers.visitor().get(linkTo());
      expect(await left({})).toBeCloseTo(60, -1);
      const visitor = await farmers.verified({ partner_id: 'other' });
      await visitor.get('/subscriptions/phone');
      await visitor.submit({ phone: '7015550188' });
      expect(await left({ 'link.partner_id': 'other', phone: { $exists: true } })).toBeCloseTo(60, -1);
    });

    test('five minutes after a link that only a program has opened', async () => {
      await farmers.ask('GET', linkTo());
      expect(await left({}, 'expires_at')).toBeCloseTo(5, 0);
    });

    slowTest('by signing out, on every page of a visit that is verified', async () => {
      for (const path of [ACCOUNTS, '/subscriptions/cancelled', '/subscriptions/phone']) {
        const visitor = await farmers.verified();
        await visitor.get(path);
        expect([path, visitor.page.html]).toEqual([
          path,
          expect.stringContaining('action="/subscriptions/sign-out"'),
        ]);
        const { cookie } = visitor;
        for (const out of ['/subscriptions/sign-out', '/sharing/sign-out']) {
          await visitor.get(out); // without the form: nothing has ended
          expect(visitor.at).toBe('200 /subscriptions/accounts');
        }
        await visitor.post('/subscriptions/sign-out', new URLSearchParams({ csrf: csrfOf(visitor) }));
        expect([visitor.page.status, visitor.text]).toEqual([
          200,
          expect.stringContaining('You are signed out'),
        ]);
        expect(sessionIn(visitor)).toBe('gdx=');
        expect(await opened(cookie)).toBe(403);
      }
      expect((await farmers.asked()).visitor.page.html).not.toContain('/subscriptions/sign-out');
    });

    test('not by a form of signing out from elsewhere, and the way back from that leads to a page', async () => {
      const visitor = await farmers.verified();
      const foreign = { origin: 'https://evil.example' };
      await visitor.post('/subscriptions/sign-out', new URLSearchParams(), foreign);
      const back = /class="button" href="([^"]*)"/.exec(visitor.page.html)?.[1];
      expect(visitor.page.status).toBe(403);
      expect(await visitor.get(back!)).toMatchObject({ status: 200, path: '/subscriptions/accounts' });
    });

    slowTest('by leaving for the customer; a second tap leads there too, and nowhere else', async () => {
      const { cookie } = await farmers.share(['42-1']);
      const back = 'https://acme.example/back?case=7&status=saved&partner_id=policy-1';
      expect(await opened(cookie, LEAVE)).toBe(back);
      expect(await opened(cookie, LEAVE)).toBe(back);
      for (const path of [ACCOUNTS, '/subscriptions/done', '/subscriptions/receipt'])
        expect([path, await opened(cookie, path)]).toEqual([path, 403]);
    });

    test('by leaving without changes', async () => {
      const { cookie } = await farmers.verified();
      const back = 'https://acme.example/back?case=7&status=cancelled&partner_id=policy-1';
      expect(await opened(cookie, `${LEAVE}?cancelled`)).toBe(back);
      expect(await opened(cookie)).toBe(403);
    });
  });

  test('the last page and its receipt stay as long as the farmer does', async () => {
    const visitor = await farmers.share(['42-1']);
    for (const path of ['/subscriptions/done', '/subscriptions/done?receipt', '/subscriptions/receipt'])
      expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
  });
});

describe('ways on', () => {
  let halt: ReturnType<typeof stopHere> | undefined;
  beforeAll(async () => {
    const held = rewire(await emptyStore(), async (call) => {
      if (call.collection === 'consents' && call.method.startsWith('insert')) await halt?.here();
      return call.run();
    });
    farmers = await startFarmers({ store: held });
    await addFarmersChannel(farmers, 'every', { scope: 'all', name: 'Everything Bank' });
    await pushAccounts(farmers, accountsOf(PHONE, 3));
  });
  beforeEach(() => farmers.forgetAttempts());

  const setTypes = (...entity_types: string[]) =>
    farmers.store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'acme' }, { $set: { entity_types } });

  test('a link that met an error can be followed again as it is', async () => {
    const visitor = farmers.visitor();
    farmers.serving.phase = 'starting';
    await visitor.get(linkTo());
    farmers.serving.phase = 'serving';
    expect(visitor.page.status).toBe(503);
    expect(visitor.page.html).toMatch(/class="button" href(?:="")?>/); // the address that the browser shows
    expect(visitor.page.html).not.toContain(PHONE);
  });

  slowTest('one code too many asked for: the code in hand still has a page', async () => {
    const { visitor } = await farmers.asked();
    const codes = farmers.store.db.collection('sign_in_codes');
    for (let time = 0; time < 3; time++) {
      await codes.updateMany({}, { $set: { sent_at: new Date(Date.now() - 31_000) } });
      await visitor.get('/subscriptions/code');
      await visitor.submit({ do: 'resend' });
    }
    expect(visitor.page.status).toBe(429);
    expect(/class="button" href="([^"]*)"/.exec(visitor.page.html)?.[1]).toBe('/subscriptions/code');
    await visitor.get('/subscriptions/code');
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
  });

  test('the language, on a code page gone back to, leads on in that language', async () => {
    const { visitor, code } = await farmers.asked();
    const old = visitor.twin();
    await visitor.submit({ code });
    old.cookie = visitor.cookie;
    await old.submit({ language: 'es' });
    expect([old.page.path, old.page.html.includes('lang="es"')]).toEqual(['/subscriptions/accounts', true]);
  });

  test('a channel that gets every record offers no choice', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ partner_slug: 'every' }));
    expect([visitor.page.status, visitor.cookie]).toEqual([400, undefined]);
  });

  test('a partner_id has 128 characters, whatever they take', async () => {
    const statuses = [];
    for (const length of [128, 129]) {
      const visitor = farmers.visitor();
      await visitor.get(linkTo({ partner_id: '😀'.repeat(length) }));
      statuses.push(visitor.page.status);
    }
    expect(statuses).toEqual([200, 400]);
  });

  test('a page that said less than what is agreed to saves nothing', async () => {
    const visitor = await farmers.verified({ partner_id: 'terms' });
    await visitor.submit({ account: ['42-1'] });
    const old = visitor.twin(); // names three types
    await setTypes('accounts', 'contracts', 'tickets', 'settlements');
    await visitor.get('/subscriptions/check'); // another window, or a reload, names four
    await old.submit({ do: 'save' });
    expect(old.page.status).toBe(409);
    const who = { channel: 'acme', partner_id: 'terms', farmer: await farmerIdOf(farmers.store, PHONE) };
    expect(await listConsents(farmers.store, who)).toEqual([]);
    await setTypes('accounts', 'contracts', 'tickets');
  });

  describe('a save that takes long', () => {
    const granted = async (partner: string) =>
      (await listGranted(farmers.store, 'acme', partner)).map(({ account }) => account).sort();

    slowTest('what is chosen meanwhile waits for it', async () => {
      const visitor = await farmers.verified({ partner_id: 'slow' });
      await visitor.submit({ account: ['42-1', '42-2'] });
      await visitor.twin().get('/subscriptions/accounts');
      const other = visitor.twin();
      await other.get('/subscriptions/accounts');
      halt = stopHere();
      const saving = visitor.submit({ do: 'save' });
      await halt.reached;
      await other.submit({ account: ['42-3'] });
      expect(other.page.path).toBe('/subscriptions/done');
      halt.goOn();
      halt = undefined;
      await saving;
      expect(await granted('slow')).toEqual(['42-1', '42-2']);
      await other.get('/subscriptions/accounts');
      await other.save({ account: ['42-3'] });
      expect(await granted('slow')).toEqual(['42-3']);
    });

    test('who leaves meanwhile comes to its page: the customer is told of what is saved', async () => {
      const visitor = await farmers.verified({ partner_id: 'leaving' });
      await visitor.submit({ account: ['42-1'] });
      halt = stopHere();
      const other = visitor.twin();
      const saving = visitor.submit({ do: 'save' });
      await halt.reached;
      const leave = '/subscriptions/leave';
      for (const path of ['/subscriptions/cancelled', `${leave}?cancelled`, leave]) {
        await other.get(path);
        expect([path, other.at]).toEqual([path, '200 /subscriptions/done']);
      }
      halt.goOn();
      halt = undefined;
      await saving;
      const { headers } = await farmers.ask('GET', leave, { headers: { cookie: other.cookie! } });
      expect(headers['location']).toContain('status=saved');
    });

    test('is not taken for dead while its batches go on', async () => {
      const visitor = await farmers.verified({ partner_id: 'batches' });
      await visitor.submit({ account: ['42-1'] });
      const sessions = farmers.store.db.collection('sessions');
      const savingSince = async () => (await sessions.findOne({ saving: { $ne: null } }))?.['saving'].at;
      halt = stopHere();
      const [grants, refusals] = [halt, stopHere()];
      const saving = visitor.submit({ do: 'save' });
      await grants.reached;
      await sessions.updateMany({ saving: { $ne: null } }, { $set: { 'saving.at': new Date(0) } });
      halt = refusals;
      grants.goOn();
      await refusals.reached;
      expect(Date.now() - (await savingSince())).toBeLessThan(60_000);
      halt = undefined;
      refusals.goOn();
      await saving;
      expect(visitor.page.path).toBe('/subscriptions/done');
    });

    slowTest('taken for dead, it does not undo what was chosen since', async () => {
      const visitor = await farmers.verified({ partner_id: 'dead' });
      await visitor.submit({ account: ['42-1'] });
      const other = visitor.twin();
      await other.get('/subscriptions/accounts');
      halt = stopHere();
      const stopped = halt;
      const saving = visitor.submit({ do: 'save' });
      await stopped.reached;
      halt = undefined;
      const sessions = farmers.store.db.collection('sessions');
      await sessions.updateMany({ saving: { $ne: null } }, { $set: { 'saving.at': new Date(0) } });
      await other.submit({ account: ['42-3'] });
      expect(other.page.path).toBe('/subscriptions/check');
      stopped.goOn();
      await saving;
      await other.submit({ do: 'save' });
      expect(other.page.status).toBe(409); // what that one has shared is to be stopped, and was not named
      await other.submit({ do: 'save' });
      expect(await granted('dead')).toEqual(['42-3']);
    });
  });

  test('of a search as long as a form may be, 80 characters count', async () => {
    const long = `meyer${' '.repeat(75)}nobody${'x'.repeat(900_000)}`;
    const visitor = await farmers.verified({ partner_id: 'search' });
    await visitor.submit({ do: 'search', search: long });
    expect(rowsIn(visitor.page.html)).toHaveLength(3);
    await visitor.submit({ account: ['42-1'], do: 'search' });
    await visitor.submit({ account: [], searched: long, do: 'continue' }); // unticks what that search has shown
    expect(visitor.at).toBe('422 /subscriptions/accounts');
  });
});
