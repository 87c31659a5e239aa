import { endDays, lastDayOf } from '../../domain/grant-end';
import { consents } from '../../store/sharing/consents';
import { subscriptions } from '../../store/sharing/subscriptions';
import { accountsOf, OTHER_PHONE, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';
import { rowsIn, textOf, type Visitor } from './visitor';

const ACCOUNTS = '/subscriptions/accounts';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 2));
});
afterAll(() => farmers.stop());

const DAY = endDays(new Date()).last;
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
  const headers = { authorization: farmers.apiKey };
  const { json } = await farmers.ask('GET', `/api/v1/channels/acme/subscriptions?partner_id=${partner_id}`, {
    headers,
  });
  const { data } = json as { data: { account: { id: string }; ends_at: string | null }[] };
  return data.map(({ account, ends_at }) => [account.id, ends_at]);
}

test('an end is optional: checked, kept in the ledger, shown on the receipt and to the customer; it can be moved', async () => {
  let visitor = await farmers.verified({ partner_id: 'ends' });
  expect(dayIn(visitor)).toBe('');
  await visitor.submit({ account: ['42-1'], ends_on: DAY });
  expect(textOf(visitor.page.html)).toMatch(/Until when Until the end of .* Then it stops by itself/);
  await visitor.submit({ do: 'save' });
  expect(await granted('ends')).toMatchObject([{ account: '42-1', ends_at: END }]);
  expect(await consents(farmers.store).findOne({ partner_id: 'ends', act: 'grant' })).toMatchObject({
    ends_at: END,
  });
  expect(await listed('ends')).toEqual([['42-1', END.toISOString()]]);
  expect((await visitor.get('/subscriptions/receipt')).html).toContain('  Until the end of ');

  visitor = await farmers.verified({ partner_id: 'ends' });
  expect(dayIn(visitor)).toBe(DAY);
  await visitor.submit({ account: ['42-1', '42-2'], ends_on: '' });
  expect(textOf(visitor.page.html)).toMatch(/You will share 1 account .* Until you stop it/);
  await visitor.submit({ do: 'save' });
  expect((await granted('ends')).map(({ ends_at }) => ends_at)).toEqual([null, null]);
  expect(await listed('ends')).toEqual(expect.arrayContaining([['42-1', null], ['42-2', null]])); // prettier-ignore

  visitor = await farmers.verified({ partner_id: 'ends' });
  await visitor.submit({ ends_on: DAY });
  expect(textOf(visitor.page.html)).not.toContain('You share the same accounts as before');
  await visitor.submit({ do: 'save' });
  expect(textOf(visitor.page.html)).toContain('Your choices are saved');
  expect((await granted('ends')).map(({ ends_at }) => ends_at)).toEqual([END, END]);
  await visitor.get('/sharing');
  expect(textOf(visitor.page.html)).toContain('Stops by itself at the end of ');
});

test.each([
  ['2020-01-01', 'Choose a day from tomorrow on'],
  ['2099-01-01', 'Choose a day within 7 years'],
  ['next harvest', 'Enter a day, like 2027-10-31'],
])('%s is refused beside the field, and nothing is lost', async (ends_on, message) => {
  const visitor = await farmers.verified({ partner_id: 'bad' });
  await visitor.submit({ account: ['42-1'], ends_on });
  expect([visitor.page.status, visitor.page.path]).toEqual([422, ACCOUNTS]);
  expect(textOf(visitor.page.html)).toContain(`There is a problem ${message}`);
  expect([dayIn(visitor), / value="42-1" checked/.test(visitor.page.html)]).toEqual([ends_on, true]);
  await visitor.get('/subscriptions/check');
  expect(visitor.page.path).toBe(ACCOUNTS);
});

test('on the last day one account is stopped, and the other ends as it was agreed', async () => {
  const first = await farmers.verified({ partner_id: 'today' });
  await first.submit({ account: ['42-1', '42-2'], ends_on: DAY });
  await first.submit({ do: 'save' });
  const today = new Date().toISOString().slice(0, 10);
  const ends_at = new Date(Date.parse(`${today}T00:00:00Z`) + 24 * 3_600_000);
  await subscriptions(farmers.store).updateMany({ partner_id: 'today' }, { $set: { ends_at } });

  const visitor = await farmers.verified({ partner_id: 'today' });
  expect(dayIn(visitor)).toBe(today);
  await visitor.submit({ account: ['42-1'], ends_on: today });
  expect(visitor.page.path).toBe('/subscriptions/check');
  await visitor.submit({ do: 'save' });
  expect(await granted('today')).toMatchObject([{ account: '42-1', ends_at }]);

  await visitor.get(ACCOUNTS);
  await visitor.submit({ account: ['42-1', '42-2'], ends_on: today }); // nothing new begins for less than a day
  expect([visitor.page.status, visitor.page.path]).toEqual([422, ACCOUNTS]);
});

test('of two ends the page proposes the first: nothing is shared longer unasked', async () => {
  const first = await farmers.verified({ partner_id: 'two ends' });
  await first.submit({ account: ['42-1', '42-2'], ends_on: DAY });
  await first.submit({ do: 'save' });
  await subscriptions(farmers.store).updateOne(
    { partner_id: 'two ends', account: '42-2' },
    { $set: { ends_at: SOONER } },
  );
  const visitor = await farmers.verified({ partner_id: 'two ends' });
  expect(dayIn(visitor)).toBe(SOONER_DAY);
  await visitor.submit({});
  await visitor.submit({ do: 'save' });
  expect((await granted('two ends')).map(({ ends_at }) => ends_at)).toEqual([SOONER, SOONER]);
});

test('an account that is not offered gets no later end: nothing of it is granted anew, and the page says so', async () => {
  const partner_id = 'other phone';
  const account = { id: '70', name: 'Moved Farms', phones: [{ phone: PHONE }] };
  await pushAccounts(farmers, [account]);
  const first = await farmers.verified({ partner_id });
  await first.submit({ account: ['42-1', '42-70'], ends_on: SOONER_DAY });
  await first.submit({ do: 'save' });
  await pushAccounts(farmers, [{ ...account, phones: [{ phone: OTHER_PHONE }] }]);
  const grants = () => consents(farmers.store).countDocuments({ partner_id, account: '42-70', act: 'grant' });

  for (const ends_on of [DAY, '']) {
    const visitor = await farmers.verified({ partner_id });
    await visitor.submit({ account: ['42-1', '42-70'], ends_on });
    const english = textOf(visitor.page.html);
    await visitor.submit({ language: 'es' });
    const spanish = textOf(visitor.page.html);
    await visitor.submit({ do: 'save' });
    const ends_at = ends_on === '' ? null : END;
    expect(await granted(partner_id)).toMatchObject([{ ends_at }, { account: '42-70', ends_at: SOONER }]);
    expect(await grants()).toBe(1);
    expect(english).toMatch(
      /Until (the end|you stop it).* keep the day that you chose before.* Moved Farms .* Until the end of /,
    );
    expect(spanish).toMatch(/conservan la fecha .* Moved Farms .* Hasta el final del /);
  }

  const alone = await farmers.verified({ partner_id });
  await alone.submit({ account: ['42-70'], ends_on: 'next harvest' });
  expect(alone.page.status).toBe(422);
  await alone.submit({ account: ['42-70'], ends_on: DAY });
  expect(textOf(alone.page.html)).toMatch(/Until when These accounts keep the day that you chose before/);

  const { first: tomorrow } = endDays(new Date()); // an earlier end takes away
  await alone.get(ACCOUNTS);
  await alone.submit({ account: ['42-70'], ends_on: tomorrow });
  expect(textOf(alone.page.html)).not.toContain('keep the day that you chose before');
  await alone.submit({ do: 'save' });
  expect((await granted(partner_id)).map(({ ends_at }) => lastDayOf(ends_at!))).toEqual([tomorrow]);
});

test('the end that such an account keeps is part of what the page has said', async () => {
  const partner_id = 'other phone, other day';
  const account = { id: '71', name: 'Moved Farms', phones: [{ phone: PHONE }] };
  await pushAccounts(farmers, [account]);
  const visitor = await farmers.verified({ partner_id });
  await visitor.submit({ account: ['42-71'], ends_on: SOONER_DAY });
  await visitor.submit({ do: 'save' });
  await pushAccounts(farmers, [{ ...account, phones: [] }]);
  await visitor.get(ACCOUNTS);
  await visitor.submit({ account: ['42-71', '42-1'], ends_on: DAY });
  const sooner = new Date(SOONER.getTime() - 24 * 3_600_000);
  await subscriptions(farmers.store).updateOne({ partner_id }, { $set: { ends_at: sooner } });
  await visitor.submit({ do: 'save' });
  expect([visitor.page.status, visitor.page.path]).toEqual([409, '/subscriptions/check']);
});

test('an end that has come counts on the page before it is written, for the farmer and whoever shares beside them', async () => {
  const both = [{ phone: PHONE }, { phone: OTHER_PHONE }];
  await pushAccounts(farmers, [{ id: '60', name: 'Both', phones: both }]);
  const first = await farmers.verified({ partner_id: 'over' });
  await first.submit({ account: ['42-60'], ends_on: DAY });
  await first.submit({ do: 'save' });
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
  expect(textOf(again.page.html)).toContain('You will share 1 account');
});

test('a channel may require one, and then nothing is saved without, also where the page was opened before', async () => {
  const early = await farmers.verified({ partner_id: 'required' });
  await early.submit({ account: ['42-1'] });
  expect(early.page.path).toBe('/subscriptions/check');
  await requireEnd(true);
  const reloaded = early.twin();
  await reloaded.get('/subscriptions/check');
  expect(reloaded.page.path).toBe(ACCOUNTS);
  await early.submit({ do: 'save' });
  expect([early.page.path, await granted('required')]).toEqual([ACCOUNTS, []]);
  expect(textOf(early.page.html)).toContain('When shall it stop by itself?');
  await early.submit({ account: ['42-1'], ends_on: '' });
  expect([early.page.status, textOf(early.page.html)]).toEqual([
    422,
    expect.stringContaining('There is a problem Choose the day on which sharing stops by itself'),
  ]);
  await early.submit({ account: ['42-1'], ends_on: DAY });
  await early.submit({ do: 'save' });
  expect(await granted('required')).toMatchObject([{ ends_at: END }]);
  const stopping = await farmers.verified({ partner_id: 'required' });
  await stopping.submit({ account: [], ends_on: '' });
  await stopping.submit({ do: 'save' });
  expect(await granted('required')).toEqual([]);
  await requireEnd(false);
});
