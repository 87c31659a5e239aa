import { findChannel } from '../../store/channels/channels';
import { listAccounts } from '../../api/farmer/list-accounts';
import { checkDigest } from '../../api/farmer/new-check';
import { daysOfPlan, planChoices } from '../../api/farmer/plan-choices';
import { farmerSessions, type LinkedSession } from '../../store/sessions/farmer-sessions';
import { endDays, lastDayOf } from '../../domain/consent/grant-end';
import { consents } from '../../store/consent/consents';
import { subscriptions, listGranted } from '../../store/consent/subscriptions';
import {
  accountsOf,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
  addFarmersChannel,
} from './start-farmers';
import { rowsIn, textOf, type Visitor } from './visitor';
import { expectError } from '../api/start-api';
import { goBy } from '../../domain/time/elapsed';
import { slowTest, nightlyTest } from '../setup/cases';
import { ALL_BUT_DATE } from '../setup/all-but-date';

let farmers: Farmers;

describe('grant-end', () => {
  const ACCOUNTS = '/subscriptions/accounts';

  // Midnight is twelve hours away. It is noon of tomorrow: MongoDB, whose clock is the machine's, removes nothing.
  const NOON = new Date(new Date().setUTCHours(36, 0, 0, 0));
  beforeAll(async () => {
    jest.useFakeTimers({ now: NOON, advanceTimers: true, doNotFake: ALL_BUT_DATE });
    farmers = await startFarmers();
    goBy(() => Date.now()); // it is noon everywhere
    await pushAccounts(farmers, accountsOf(PHONE, 2));
  });
  afterAll(() => void jest.useRealTimers());

  // No zone is known of the company.
  const { first: TOMORROW, last: DAY } = endDays(NOON, []);
  const END = new Date(new Date(`${DAY}T00:00:00Z`).getTime() + 24 * 3_600_000);
  const SOONER = new Date(END.getTime() - 365 * 24 * 3_600_000);
  const SOONER_DAY = lastDayOf(SOONER);
  const dayIn = ({ page }: Visitor) => /name="ends_on"[^>]* value="([^"]*)"/.exec(page.html)?.[1] ?? '';
  const granted = (partner_id: string) =>
    subscriptions(farmers.store).find({ partner_id, state: 'granted' }).sort({ account: 1 }).toArray();
  const requireEnd = (end_required: boolean) =>
    farmers.store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'acme' }, { $set: { end_required } });

  async function listed(partner_id: string) {
    const path = `/api/v1/channels/acme/subscriptions?partner_id=${partner_id}`;
    const { json } = await farmers.ask('GET', path, { token: farmers.apiKey });
    const { data } = json as { data: { account: { id: string }; ends_at: string | null }[] };
    return data.map(({ account, ends_at }) => [account.id, ends_at]);
  }

  slowTest(
    'an end is optional: checked, kept in the ledger, shown on the receipt and to the customer; it can be moved',
    async () => {
      let visitor = await farmers.verified({ partner_id: 'ends' });
      expect(dayIn(visitor)).toBe('');
      await visitor.submit({ account: ['42-1'], ends_on: DAY });
      expect(visitor.text).toMatch(/Until when The last day is /);
      await visitor.submit({ do: 'save' });
      expect(await granted('ends')).toMatchObject([{ account: '42-1', ends_at: END }]);
      expect(await consents(farmers.store).findOne({ partner_id: 'ends', act: 'grant' })).toMatchObject({
        ends_at: END,
      });
      expect(await listed('ends')).toEqual([['42-1', END.toISOString()]]);
      expect((await visitor.get('/subscriptions/receipt')).html).toContain('  The last day is ');

      visitor = await farmers.verified({ partner_id: 'ends' });
      expect(dayIn(visitor)).toBe(DAY);
      await visitor.submit({ account: ['42-1', '42-2'], ends_on: '' });
      expect(visitor.text).toMatch(/You will share 1 account .* Until you stop it/);
      await visitor.submit({ do: 'save' });
      expect((await granted('ends')).map(({ ends_at }) => ends_at)).toEqual([null, null]);
      expect(await listed('ends')).toEqual(expect.arrayContaining([['42-1', null], ['42-2', null]])); // prettier-ignore

      visitor = await farmers.verified({ partner_id: 'ends' });
      await visitor.submit({ ends_on: DAY });
      expect(visitor.text).not.toContain('You share the same accounts as before');
      await visitor.submit({ do: 'save' });
      expect(visitor.text).toContain('Your choices are saved');
      expect((await granted('ends')).map(({ ends_at }) => ends_at)).toEqual([END, END]);
      await visitor.get('/sharing');
      expect(visitor.text).toContain('The last day is ');
    },
  );

  test.each([
    ['en', (month: string, day: number, year: string) => `${Number(month)}/${day}/${year}`],
    ['es', (month: string, day: number, year: string) => `${month}-${day}-${year.slice(2)}`],
  ])('a last day that is typed as the page names it is taken: %s', async (language, typed) => {
    const visitor = await farmers.verified({ partner_id: `typed-${language}` });
    await visitor.submit({ language });
    const [year, month, day] = SOONER_DAY.split('-') as [string, string, string];
    await visitor.submit({ account: ['42-1'], ends_on: typed(month, Number(day), year) });
    expect(visitor.page.path).toBe('/subscriptions/check');
    await visitor.submit({ do: 'save' });
    expect(await granted(`typed-${language}`)).toMatchObject([{ ends_at: SOONER }]);
  });

  test.each([
    ['2020-01-01', /There is a problem Choose \w+ \d+, \d{4} or a later day/],
    ['2099-01-01', /There is a problem Choose \w+ \d+, \d{4} or an earlier day/],
    ['next harvest', /There is a problem Enter a day, like/],
  ])('%s is refused beside the field, and nothing is lost', async (ends_on, message) => {
    const visitor = await farmers.verified({ partner_id: 'bad' });
    await visitor.submit({ account: ['42-1'], ends_on });
    expect(visitor.at).toBe(`422 ${ACCOUNTS}`);
    expect(visitor.text).toMatch(message);
    expect([dayIn(visitor), / value="42-1" checked/.test(visitor.page.html)]).toEqual([ends_on, true]);
    await visitor.get('/subscriptions/check');
    expect(visitor.page.path).toBe(ACCOUNTS);
  });

  slowTest('on the last day one account is stopped, and the other ends as it was agreed', async () => {
    await farmers.share(['42-1', '42-2'], { partner_id: 'today' }, { ends_on: DAY });
    const today = NOON.toISOString().slice(0, 10);
    const ends_at = new Date(NOON.getTime() + 12 * 3_600_000);
    await subscriptions(farmers.store).updateMany({ partner_id: 'today' }, { $set: { ends_at } });

    const visitor = await farmers.verified({ partner_id: 'today' });
    expect(dayIn(visitor)).toBe(today);
    await visitor.submit({ account: ['42-1'], ends_on: today });
    expect(visitor.page.path).toBe('/subscriptions/check');
    await visitor.submit({ do: 'save' });
    expect(await granted('today')).toMatchObject([{ account: '42-1', ends_at }]);

    await visitor.get(ACCOUNTS);
    await visitor.submit({ account: ['42-1', '42-2'], ends_on: today }); // nothing new begins for less than a day
    expect(visitor.at).toBe(`422 ${ACCOUNTS}`);
  });

  slowTest('of two ends the page proposes the first: nothing is shared longer unasked', async () => {
    await farmers.share(['42-1', '42-2'], { partner_id: 'two ends' }, { ends_on: DAY });
    await subscriptions(farmers.store).updateOne(
      { partner_id: 'two ends', account: '42-2' },
      { $set: { ends_at: SOONER } },
    );
    const visitor = await farmers.verified({ partner_id: 'two ends' });
    expect(dayIn(visitor)).toBe(SOONER_DAY);
    await visitor.submit({});
    expect(visitor.text).toContain('The last day changes for 1 account');
    await visitor.submit({ do: 'save' });
    expect((await granted('two ends')).map(({ ends_at }) => ends_at)).toEqual([SOONER, SOONER]);
  });

  slowTest(
    'an account that is not offered gets no later end: nothing of it is granted anew, and the page says so',
    async () => {
      const partner_id = 'other phone';
      const account = { id: '70', name: 'Moved Farms', phones: [{ phone: PHONE }] };
      await pushAccounts(farmers, [account]);
      await farmers.share(['42-1', '42-70'], { partner_id }, { ends_on: SOONER_DAY });
      await pushAccounts(farmers, [{ ...account, phones: [{ phone: OTHER_PHONE }] }]);
      const grants = () =>
        consents(farmers.store).countDocuments({ partner_id, account: '42-70', act: 'grant' });

      for (const ends_on of [DAY, '']) {
        const visitor = await farmers.verified({ partner_id });
        await visitor.submit({ account: ['42-1', '42-70'], ends_on });
        const english = visitor.text;
        await visitor.submit({ language: 'es' });
        const spanish = visitor.text;
        await visitor.submit({ do: 'save' });
        const ends_at = ends_on === '' ? null : END;
        expect(await granted(partner_id)).toMatchObject([{ ends_at }, { account: '42-70', ends_at: SOONER }]);
        expect(await grants()).toBe(1);
        expect(english).toMatch(
          /(The last day is|Until you stop it).* keep the last day that you chose before.* 42-70 Prairie Co-op .* The last day is /,
        );
        expect(spanish).toMatch(/conservan el último día .* 42-70 Prairie Co-op .* El último día es el /);
      }

      const alone = await farmers.verified({ partner_id });
      await alone.submit({ account: ['42-70'], ends_on: 'next harvest' });
      expect(alone.page.status).toBe(422);
      await alone.submit({ account: ['42-70'], ends_on: DAY });
      expect(alone.text).toMatch(/Until when These accounts keep the last day that you chose before/);

      await alone.get(ACCOUNTS); // an earlier end takes away
      await alone.submit({ account: ['42-70'], ends_on: TOMORROW });
      expect(alone.text).not.toContain('keep the last day that you chose before');
      await alone.submit({ do: 'save' });
      expect((await granted(partner_id)).map(({ ends_at }) => lastDayOf(ends_at!))).toEqual([TOMORROW]);
    },
  );

  slowTest('the end that such an account keeps is part of what the page has said', async () => {
    const partner_id = 'other phone, other day';
    const account = { id: '71', name: 'Moved Farms', phones: [{ phone: PHONE }] };
    await pushAccounts(farmers, [account]);
    const visitor = await farmers.share(['42-71'], { partner_id }, { ends_on: SOONER_DAY });
    await pushAccounts(farmers, [{ ...account, phones: [] }]);
    await visitor.get(ACCOUNTS);
    await visitor.submit({ account: ['42-71', '42-1'], ends_on: DAY });
    const sooner = new Date(SOONER.getTime() - 24 * 3_600_000);
    await subscriptions(farmers.store).updateOne({ partner_id }, { $set: { ends_at: sooner } });
    await visitor.submit({ do: 'save' });
    expect(visitor.at).toBe('409 /subscriptions/check');
  });

  slowTest(
    'an end that has come counts on the page before it is written, for the farmer and whoever shares beside them',
    async () => {
      const both = [{ phone: PHONE }, { phone: OTHER_PHONE }];
      await pushAccounts(farmers, [{ id: '60', name: 'Both', phones: both }]);
      await farmers.share(['42-60'], { partner_id: 'over' }, { ends_on: DAY });
      const ends_at = new Date(Date.now() - 1);
      await subscriptions(farmers.store).updateMany({ partner_id: 'over' }, { $set: { ends_at } });
      const again = await farmers.verified({ partner_id: 'over' });
      const other = await farmers.verified({ partner_id: 'over', phone: OTHER_PHONE });
      const rows = [again, other].map(({ page }) => rowsIn(page.html).find(({ id }) => id === '42-60'));
      expect(rows).toEqual(
        rows.map(() => ({ id: '42-60', ticked: false, text: 'Both Prairie Co-op · account 60' })),
      );
      expect(dayIn(again)).toBe('');
      await again.submit({ account: ['42-60'], ends_on: '' });
      expect(again.text).toContain('You will share 1 account');
    },
  );

  test('whoever is led back from the check because an end is required now reads that on the page', async () => {
    for (const way of ['reloads', 'saves']) {
      const early = await farmers.verified({ partner_id: `back-${way}` });
      await early.submit({ account: ['42-1'] });
      await requireEnd(true);
      await (way === 'saves' ? early.submit({ do: 'save' }) : early.get('/subscriptions/check'));
      await requireEnd(false);
      expect([way, early.at]).toEqual([way, `422 ${ACCOUNTS}`]);
      expect(early.text).toContain('There is a problem Choose the day on which sharing stops by itself');
    }
  });

  test('a day that has passed since the check was shown is not saved', async () => {
    const { store } = farmers;
    const early = await farmers.verified({ partner_id: 'passed' });
    await early.submit({ account: ['42-1'], ends_on: DAY });
    const of = { 'link.partner_id': 'passed' };
    await farmerSessions(store).updateOne(of, { $set: { ends_on: '2020-01-01' } });
    const session = (await farmerSessions(store).findOne(of)) as LinkedSession;
    const channel = (await findChannel(store, 'acme'))!;
    const plan = planChoices((await listAccounts(store, session, channel)).accounts, session);
    const says = checkDigest({ session, channel }, { plan, days: await daysOfPlan(store, plan), stop: null });
    await farmerSessions(store).updateOne(of, { $set: { 'check.says': says } });
    await early.submit({ do: 'save' });
    expect([early.at, await granted('passed')]).toEqual([`422 ${ACCOUNTS}`, []]);
  });

  slowTest(
    'a channel may require one, and then nothing is saved without, also where the page was opened before',
    async () => {
      const early = await farmers.verified({ partner_id: 'required' });
      await early.submit({ account: ['42-1'] });
      expect(early.page.path).toBe('/subscriptions/check');
      await requireEnd(true);
      const reloaded = early.twin();
      await reloaded.get('/subscriptions/check');
      expect(reloaded.page.path).toBe(ACCOUNTS);
      await early.submit({ do: 'save' });
      expect([early.page.path, await granted('required')]).toEqual([ACCOUNTS, []]);
      expect(early.text).toContain('What is the last day?');
      await early.submit({ account: ['42-1'], ends_on: '' });
      expect(early.page.status).toBe(422);
      expect(early.text).toContain('There is a problem Choose the day on which sharing stops by itself');
      await early.save({ account: ['42-1'], ends_on: DAY });
      expect(await granted('required')).toMatchObject([{ ends_at: END }]);
      const stopping = await farmers.verified({ partner_id: 'required' });
      await stopping.save({ account: [], ends_on: '' });
      expect(await granted('required')).toEqual([]);
      await requireEnd(false);
    },
  );
});

describe('subscriptions-list', () => {
  let bankKey: string;

  beforeAll(async () => {
    farmers = await startFarmers();
    bankKey = (await addFarmersChannel(farmers, 'bank')).apiKey;
    await pushAccounts(farmers, [
      ...accountsOf(PHONE, 2),
      { id: '3', name: 'Both', phones: [{ phone: PHONE }, { phone: OTHER_PHONE }] },
    ]);
    await share({ partner_id: 'policy-1' }, ['42-1', '42-3']);
    await share({ partner_id: 'policy 2&' }, ['42-2']);
    await share({ partner_id: 'policy-1', phone: OTHER_PHONE }, ['42-3']);
  });

  const share = (link: Record<string, string>, account: string[], ends_on = '') =>
    farmers.share(account, link, { ends_on });

  const ask = (query = '', token = farmers.apiKey) =>
    farmers.ask('GET', `/api/v1/channels/acme/subscriptions${query}`, { token });

  test('what is shared now, an account once for each partner_id', async () => {
    const { json } = await ask();
    const one = (remote_id: string, name: string, partner_id: string) => ({
      ...{ account: { id: `42-${remote_id}`, remote_id, name }, partner_id },
      ...{ since: expect.stringMatching(/^\d{4}-.*Z$/), ends_at: null, earlier: true },
    });
    expect(json.data).toEqual([
      one('1', 'Meyer Farms 1', 'policy-1'),
      one('3', 'Both', 'policy-1'),
      one('2', 'Meyer Farms 2', 'policy 2&'),
    ]);
  });

  test('of one partner_id', async () => {
    const { json } = await ask(`?partner_id=${encodeURIComponent('policy 2&')}`);
    expect(json.data.map((one: { account: { id: string } }) => one.account.id)).toEqual(['42-2']);
    expect((await ask('?partner_id=none')).json).toEqual({ data: [] });
    expectError(await ask('?partner_id=a&partner_id=b'), 422, 'VALIDATION_ERROR');
  });

  nightlyTest(
    'two farmers who share one account: from the first of them to the last, without an end while one has named none; each partner_id apart',
    async () => {
      const ofBoth = { partner_id: 'two farmers' };
      const ends = async () => {
        const { json } = await ask(`?partner_id=${encodeURIComponent(ofBoth.partner_id)}`);
        return json.data.map(({ ends_at }: { ends_at: string | null }) => ends_at);
      };
      const { first, last } = endDays(new Date(), []);
      await share(ofBoth, ['42-3'], first);
      await share({ ...ofBoth, phone: OTHER_PHONE }, ['42-3']);
      expect(await ends()).toEqual([null]);
      const both = await farmers.store.db
        .collection<{ since: Date }>('subscriptions')
        .find({ partner_id: ofBoth.partner_id })
        .sort({ since: 1 })
        .toArray();
      expect(both[1]!.since.getTime()).toBeGreaterThan(both[0]!.since.getTime());
      const ofAccount = (await ask()).json.data.filter(
        (one: { account: { id: string } }) => one.account.id === '42-3',
      );
      expect(ofAccount).toMatchObject([
        { partner_id: 'policy-1' },
        { partner_id: ofBoth.partner_id, since: both[0]!.since.toISOString() },
      ]);
      await share({ ...ofBoth, phone: OTHER_PHONE }, ['42-3'], last);
      expect(await ends()).toEqual([new Date(Date.parse(last) + 24 * 3_600_000).toISOString()]);
      await share({ ...ofBoth, phone: OTHER_PHONE }, []);
      await share(ofBoth, []);
    },
  );

  describe('names', () => {
    const NAMED = '7015550161';
    const account = (name: string, phone = NAMED) => ({ id: '50', name, phones: [{ phone }] });
    const named = async (query: string, token?: string) =>
      (await ask(query, token)).json.data.map((one: { account: { name: string } }) => one.account.name);
    const stopped = (partner_id: string, channel = 'acme') =>
      share({ partner_id, phone: NAMED, partner_slug: channel }, []);

    test('after a stop the id alone: what the account is called since then is not told, nor to the farmer whose phone it has no more', async () => {
      await pushAccounts(farmers, [account('Before Farms')]);
      const link = { partner_id: 'renamed', phone: NAMED };
      await share(link, ['42-50']);
      expect(await named('?partner_id=renamed')).toEqual(['Before Farms']);
      await stopped('renamed');
      await pushAccounts(farmers, [account('After Farms', OTHER_PHONE)]);
      expect(await named('?ended=true&partner_id=renamed')).toEqual(['42-50']);
      const visitor = await farmers.verified(link);
      const { html } = await visitor.get('/subscriptions/receipt');
      expect(html).toMatch(/Stopped: 42-50\r?\n/);
      expect(html).not.toContain('After Farms');
    });

    test('what an account is called once it carries another phone is on no page of the farmer who shares it: its id is', async () => {
      await pushAccounts(farmers, [account('Before Farms')]);
      const link = { partner_id: 'moved', phone: NAMED };
      const visitor = await farmers.share(['42-50'], link, { earlier: 'no' });
      await pushAccounts(farmers, [account('After Farms', OTHER_PHONE)]);
      const shown = [
        await visitor.get('/subscriptions/done'),
        await visitor.get('/subscriptions/done?receipt'),
        await visitor.get('/subscriptions/receipt'),
        await visitor.get('/subscriptions/accounts'),
        await visitor.submit({ account: [], search: 'After' }),
        await visitor.submit({ do: 'continue' }),
        await visitor.submit({ do: 'save' }),
        await visitor.get('/sharing/customers'),
      ];
      const named = shown.map(({ path, html }) => [path, /(After|Before) Farms/.exec(html)?.[0]]);
      expect(named).toEqual(named.map(([path]) => [path, undefined]));
      expect(textOf(shown[0]!.html)).toContain('with Acme Crop Insurance: 42-50 Prairie Co-op');
      expect(shown[2]!.html).toMatch(/\r\n- 42-50 \(Prairie Co-op, 50\)\r\n.* Shared: 42-50 \(Prairie/s);
      expect(textOf(shown[3]!.html)).toMatch(/42-50 Prairie Co-op · account 50 .*Here you can only stop it/);
      expect(textOf(shown[6]!.html)).toContain('You stopped sharing 42-50.');
    });

    test('a channel that carries no accounts gets no name, of what is shared and of what has ended', async () => {
      await pushAccounts(farmers, [account('Before Farms')]);
      const { apiKey } = await addFarmersChannel(farmers, 'scales', { entity_types: ['tickets'] });
      await share({ partner_id: 'scales', phone: NAMED, partner_slug: 'scales' }, ['42-50']);
      const seen = async (query: string) =>
        (await farmers.ask('GET', `/api/v1/channels/scales/subscriptions${query}`, { token: apiKey })).json
          .data;
      const alone = [{ account: { id: '42-50', remote_id: '50', name: '42-50' } }];
      expect(await seen('')).toMatchObject(alone);
      await stopped('scales', 'scales');
      expect(await seen('?ended=true')).toMatchObject(alone);
    });

    test('what is stored before a grant of only what is new is not told: no name', async () => {
      await pushAccounts(farmers, [account('Before Farms')]);
      await farmers.share(['42-50'], { partner_id: 'new', phone: NAMED }, { earlier: 'no' });
      expect(await named('?partner_id=new')).toEqual(['42-50']);
      await farmers.share(['42-50'], { partner_id: 'new', phone: NAMED }, { earlier: 'yes' });
      expect(await named('?partner_id=new')).toEqual(['Before Farms']);
    });
  });

  test('only to the channel itself', async () => {
    expectError(await ask('', bankKey), 404, 'NOT_FOUND');
    expectError(await ask('', 'nothing'), 401, 'UNAUTHENTICATED');
  });
});

describe('many accounts', () => {
  const MANY = '7015550250';

  let visitor: Visitor;

  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(MANY, 250));
    await pushAccounts(farmers, [{ id: 'Z', name: 'Zúñiga Ranch', phones: [{ phone: MANY }] }]);
    await pushAccounts(farmers, accountsOf(PHONE, 15, 1000));
  });
  beforeEach(async () => {
    visitor = await farmers.verified({ phone: MANY });
  });

  const ticked = () => rowsIn(visitor.page.html).flatMap((row) => (row.ticked ? row.id : []));

  test('up to 15 there is nothing to search', async () => {
    visitor = await farmers.verified();
    expect(rowsIn(visitor.page.html)).toHaveLength(15);
    expect(visitor.page.html).not.toContain('type="search"');
  });

  test('a name is found by the apostrophe and the hyphen of a phone; “all” says how many it means', async () => {
    const name = "O'Brien-Meyer Farms";
    await pushAccounts(farmers, [{ id: 'OB', name, phones: [{ phone: MANY }] }]);
    await visitor.submit({ search: 'O’Brien–Meyer', do: 'search' });
    expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual(['42-OB']);
    expect(visitor.text).toContain('Clear the search Choose those shown (1) Clear those shown (1)');
    await visitor.submit({ do: 'show-all' });
    expect(visitor.text).toContain('Choose those shown (200) Clear those shown (200)');
    await visitor.submit({ do: 'tick' });
    expect([ticked().length, visitor.text]).toEqual([200, expect.stringContaining('200 accounts chosen')]);
    await pushAccounts(farmers, [{ id: 'OB', name, phones: [] }]);
  });

  slowTest('200 on a page, the rest is found by searching, without accents too', async () => {
    expect(rowsIn(visitor.page.html)).toHaveLength(200);
    expect(visitor.text).toContain('Showing 200 of 251 accounts');
    await visitor.submit({ search: 'zuniga prairie', do: 'search' });
    expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual(['42-Z']);
    await visitor.submit({ search: 'nothing of the kind', do: 'search' });
    expect(visitor.text).toContain('No account matches');
    await visitor.submit({ do: 'show-all' });
    expect(rowsIn(visitor.page.html)).toHaveLength(200);
  });

  slowTest('a search that was made while there were more can still be seen and ended', async () => {
    const phone = '7015550216';
    await pushAccounts(farmers, accountsOf(phone, 16, 2000));
    visitor = await farmers.verified({ phone });
    await visitor.submit({ account: ['42-2000'], search: 'Farms 2015', do: 'search' });
    await pushAccounts(farmers, [{ ...accountsOf(phone, 1, 2015)[0]!, phones: [] }]);
    await visitor.get('/subscriptions/accounts');
    expect(rowsIn(visitor.page.html)).toEqual([]);
    expect(visitor.text).toContain('No account matches');
    expect(visitor.page.html).toContain('type="search"');
    await visitor.submit({ do: 'show-all' });
    expect([rowsIn(visitor.page.html).length, ticked()]).toEqual([15, ['42-2000']]);
  });

  slowTest(
    'what was ticked stays ticked over searches, pages in the other language, and Return',
    async () => {
      await visitor.submit({ account: ['42-1'], search: 'Farms 25', do: 'search' });
      expect(ticked()).toEqual([]);
      await visitor.submit({ account: ['42-25', '42-250'], search: 'zuniga' });
      expect(visitor.page.path).toBe('/subscriptions/accounts');
      await visitor.submit({ account: ['42-Z'], language: 'es' });
      expect(visitor.page.html).toContain('<html lang="es">');
      expect(ticked()).toEqual(['42-Z']);
      expect(visitor.text).toContain('4 cuentas marcadas');
      await visitor.submit({ do: 'continue' });
      expect(visitor.text).toContain('Usted compartirá 4 cuentas');
    },
  );

  slowTest(
    'a page that was opened before a search in another tab is read by what it shows itself',
    async () => {
      await visitor.submit({ account: ['42-1', '42-2'], search: '', do: 'search' });
      const older = visitor.twin();
      await visitor.submit({ search: 'zuniga', do: 'search' });
      await older.submit({ account: ['42-1'], do: 'continue' });
      expect(older.text).toContain('You will share 1 account');
    },
  );

  nightlyTest('tick and untick all that are shown', async () => {
    await visitor.submit({ search: 'Farms 24', do: 'search' });
    await visitor.submit({ do: 'tick' });
    expect(ticked()).toHaveLength(13);
    await visitor.submit({ search: 'Farms 240', do: 'search', account: ticked() });
    await visitor.submit({ do: 'untick' });
    expect(visitor.text).toContain('12 accounts chosen');
    await visitor.save({ do: 'continue' });
    expect(await listGranted(farmers.store, 'acme')).toHaveLength(12);
    const session = await farmers.store.db.collection('sessions').findOne({}, { sort: { expires_at: -1 } });
    const declined = await farmers.store.db.collection('consents').countDocuments({ act: 'refusal' });
    expect(declined).toBe(session?.['seen'].length - 12);
  });
});
