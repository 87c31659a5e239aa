import { textOf, type Visitor } from './visitor';
import { accountsOf, linkTo, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';

const ACCOUNTS = '/subscriptions/accounts';
const LEAVE = '/subscriptions/leave';
const HOURS = 3_600_000;

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 2));
});
afterAll(() => farmers.stop());
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

/** A visitor who is about to enter the code. */
async function atCode(): Promise<Visitor> {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  return (await visitor.submit({})) && visitor;
}

async function saved(): Promise<Visitor> {
  const visitor = await farmers.verified();
  await visitor.submit({ account: ['42-1'] });
  await visitor.submit({ do: 'save' });
  expect(visitor.page.path).toBe('/subscriptions/done');
  return visitor;
}

/** Beside it a browser keeps that of its known phones. */
const sessionIn = ({ cookie }: Visitor) => /\bgdx=[^;]*/.exec(cookie ?? '')?.[0];

describe('a session id that somebody knew before the code was entered', () => {
  test('opens nothing after it, and its form tokens neither', async () => {
    const visitor = await atCode();
    const known = visitor.twin();
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    expect(visitor.page.path).toBe(ACCOUNTS);
    expect(visitor.cookie).not.toBe(known.cookie);
    for (const path of [ACCOUNTS, '/subscriptions/phone', '/subscriptions/done', LEAVE])
      expect([path, await opened(known.cookie, path)]).toEqual([path, 403]);
    known.cookie = visitor.cookie;
    const csrf = /name="csrf" value="([^"]*)"/.exec(known.page.html)![1]!;
    const chosen = new URLSearchParams({ csrf, account: '42-1' });
    expect(await known.post(ACCOUNTS, chosen)).toMatchObject({ status: 403 });
  });

  test('leads to the new one with the code alone, three times at most', async () => {
    const visitor = await atCode();
    const attacker = visitor.twin();
    const code = farmers.sender.codeFor(PHONE);
    await visitor.submit({ code });
    const guess = async (guessed: string) => {
      const twin = attacker.twin();
      return (await twin.submit({ code: guessed })).status;
    };
    const wrong = code === '000000' ? '000001' : '000000';
    expect([await guess(wrong), await guess(wrong), await guess(wrong)]).toEqual([403, 403, 403]);
    expect(await guess(code)).toBe(403);
  });
});

test('two taps on the code lead to one session, whichever answer the browser keeps', async () => {
  const visitor = await atCode();
  const second = visitor.twin();
  const code = farmers.sender.codeFor(PHONE);
  await visitor.submit({ code });
  await second.submit({ code: ` ${code} ` });
  expect([second.page.path, second.page.status]).toEqual([ACCOUNTS, 200]);
  expect(sessionIn(second)).toBe(sessionIn(visitor));
});

test('a second tap that comes from another site leads nowhere', async () => {
  const visitor = await atCode();
  const second = visitor.twin();
  const code = farmers.sender.codeFor(PHONE);
  await visitor.submit({ code });
  const foreign = await second.twin().submit({ code }, { origin: 'https://evil.example' });
  expect([foreign.status, foreign.headers['set-cookie']]).toEqual([403, undefined]);
  await second.submit({ code });
  expect(second.page.path).toBe(ACCOUNTS);
});

test('the form of the code, sent again under the new id, leads on', async () => {
  const visitor = await atCode();
  const before = visitor.page;
  const code = farmers.sender.codeFor(PHONE);
  await visitor.submit({ code });
  visitor.page = before;
  await visitor.submit({ code });
  expect([visitor.page.path, visitor.page.status]).toEqual([ACCOUNTS, 200]);
});

describe('a visit ends', () => {
  test('30 minutes after the last page', async () => {
    const visitor = await farmers.verified();
    const [session] = await sessions().find({ verified: true }).toArray();
    const idle = session!['expires_at'].getTime() - Date.now();
    expect(idle / 60_000).toBeGreaterThan(29);
    expect(idle / 60_000).toBeLessThanOrEqual(30);
    await sessions().updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(await opened(visitor.cookie)).toBe(403);
  });

  test('8 hours after it began, whatever happens meanwhile', async () => {
    const visitor = await farmers.verified();
    const [session] = await sessions().find({ verified: true }).toArray();
    expect((session!['ends_at'].getTime() - Date.now()) / HOURS).toBeCloseTo(8, 1);
    await sessions().updateMany({}, { $set: { ends_at: new Date(Date.now() - 1) } });
    expect(await opened(visitor.cookie)).toBe(403);
  });

  test('an hour after it began where no code was entered, also for another phone', async () => {
    await farmers.visitor().get(linkTo());
    const [session] = await sessions().find().toArray();
    expect((session!['ends_at'].getTime() - Date.now()) / HOURS).toBeCloseTo(1, 1);
    const visitor = await farmers.verified({ partner_id: 'other' });
    await visitor.get('/subscriptions/phone');
    await visitor.submit({ phone: '7015550188' });
    const [changed] = await sessions()
      .find({ 'link.partner_id': 'other', phone: { $exists: true } })
      .toArray();
    expect((changed!['ends_at'].getTime() - Date.now()) / HOURS).toBeCloseTo(1, 1);
  });

  test('five minutes after a link that only a program has opened', async () => {
    await farmers.ask('GET', linkTo());
    const [session] = await sessions().find().toArray();
    expect((session!['expires_at'].getTime() - Date.now()) / 60_000).toBeCloseTo(5, 1);
  });

  test('by signing out, on every page of a visit that is verified', async () => {
    for (const path of [ACCOUNTS, '/subscriptions/cancelled', '/subscriptions/phone']) {
      const visitor = await farmers.verified();
      await visitor.get(path);
      expect([path, visitor.page.html]).toEqual([
        path,
        expect.stringContaining('action="/subscriptions/sign-out"'),
      ]);
      const { cookie } = visitor;
      const token = /name="csrf" value="([^"]*)"/.exec(visitor.page.html)![1]!;
      await visitor.post('/subscriptions/sign-out', new URLSearchParams({ csrf: token }));
      expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
        200,
        expect.stringContaining('You are signed out'),
      ]);
      expect(sessionIn(visitor)).toBe('gdx=');
      expect(await opened(cookie)).toBe(403);
    }
    expect((await atCode()).page.html).not.toContain('/subscriptions/sign-out');
  });

  test('not by a form of signing out from elsewhere, and the way back from that leads to a page', async () => {
    const visitor = await farmers.verified();
    await visitor.post('/subscriptions/sign-out', new URLSearchParams({ csrf: 'x' }));
    const back = /class="button" href="([^"]*)"/.exec(visitor.page.html)?.[1];
    expect(visitor.page.status).toBe(403);
    expect(await visitor.get(back!)).toMatchObject({ status: 200, path: '/sharing/customers' });
  });

  test('by leaving for the customer; a second tap leads there too, and nowhere else', async () => {
    const { cookie } = await saved();
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
  const visitor = await saved();
  for (const path of ['/subscriptions/done', '/subscriptions/done?receipt', '/subscriptions/receipt'])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
});
