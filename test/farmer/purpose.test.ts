import { consents } from '../../store/consent/consents';
import { verifyConsents } from '../../store/consent/verify-consents';
import { addIntegration, integrations } from '../../store/callers/integrations';
import { subscriptions } from '../../store/consent/subscriptions';
import { TEXTS } from '../../api/farmer/texts/texts';
import { dayInZone, endDays } from '../../domain/consent/grant-end';
import {
  addFarmersChannel,
  accountsOf,
  type Farmers,
  PHONE,
  pushAccounts,
  startFarmers,
} from './start-farmers';

const PURPOSE = { en: 'To work out your claim.', es: 'Para calcular su reclamo.' };

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await addFarmersChannel(farmers, 'insurer', { purpose: PURPOSE, passes_on: ['Bison Re'] });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
});

const verified = (partner_id: string, partner_slug = 'insurer') =>
  farmers.verified({ partner_id, partner_slug });
const granted = (partner_id: string) => subscriptions(farmers.store).findOne({ partner_id });

test('what the customer says of itself stands on the check page, in the ledger, on the receipt and on “who sees my grain data”', async () => {
  const visitor = await verified('said');
  await visitor.submit({ account: ['42-1'] });
  const said = 'Acme Crop Insurance says: “To work out your claim.” It says it may pass them on to Bison Re.';
  expect(visitor.text).toContain(`What for ${said}`);
  await visitor.submit({ language: 'es' });
  expect(visitor.text).toContain('dice: “Para calcular su reclamo.” Dice que puede pasarlos a Bison Re.');
  await visitor.submit({ do: 'save' });
  const entry = await consents(farmers.store).findOne({ partner_id: 'said' });
  expect(entry).toMatchObject({ purpose: PURPOSE.es, passes_on: ['Bison Re'], earlier: true });
  expect(await verifyConsents(farmers.store, 'insurer')).toMatchObject({ ok: true });
  expect((await visitor.get('/subscriptions/receipt')).html).toContain('dice: “Para calcular su reclamo.”');
  await visitor.get('/sharing');
  await visitor.submit({ language: 'es' });
  expect(visitor.text).toMatch(/Para calcular su reclamo.*No podemos parar lo que .* ya pasó a otros/);
  await consents(farmers.store).updateOne({ _id: entry!._id }, { $set: { purpose: 'To sell it.' } });
  expect(await verifyConsents(farmers.store, 'insurer')).toMatchObject({ ok: false, broken: entry!._id });
  await consents(farmers.store).updateOne({ _id: entry!._id }, { $set: { purpose: PURPOSE.es } });
});

test('a purpose that was changed since the page was read is read again, and saved by nobody unread', async () => {
  const visitor = await verified('changed');
  await visitor.submit({ account: ['42-1'] });
  const channels = farmers.store.db.collection<{ _id: string }>('channels');
  await channels.updateOne({ _id: 'insurer' }, { $set: { passes_on: [] } });
  await visitor.submit({ do: 'save' });
  expect(visitor.at).toBe('409 /subscriptions/check');
  expect(visitor.text).toContain('It says it passes them on to no one.');
  expect(await granted('changed')).toBeNull();
  await channels.updateOne({ _id: 'insurer' }, { $set: { passes_on: ['Bison Re'] } });
});

test('only what is new: chosen, read, kept in the ledger, told to the customer, and widened later', async () => {
  let visitor = await verified('late', 'acme');
  await visitor.submit({ account: ['42-1'], earlier: 'no' });
  expect(visitor.text).toMatch(/From when Only what is new or changes from \w+ \d+, \d{4} on\./);
  await visitor.submit({ do: 'save' });
  expect(visitor.text).toContain('gets what is new or changes from now on');
  expect(await granted('late')).toMatchObject({ from: { accounts: 2, tickets: 0 } });
  expect(await consents(farmers.store).findOne({ partner_id: 'late' })).toMatchObject({ earlier: false });
  const path = '/api/v1/channels/acme/subscriptions?partner_id=late';
  const { json } = await farmers.ask('GET', path, { token: farmers.apiKey });
  expect(json).toMatchObject({ data: [{ account: { id: '42-1' }, earlier: false }] });

  visitor = await verified('late', 'acme');
  expect(visitor.page.html).toMatch(/name="earlier" value="no" checked/);
  await visitor.submit({ account: ['42-1', '42-2'], earlier: 'yes' });
  expect(visitor.text).toContain('The earlier records will be sent too, of 1 account Meyer Farms 1');
  expect(visitor.text).toContain('From when All so far, and everything new.');
  await visitor.submit({ do: 'save' });
  expect(await granted('late')).toMatchObject({ from: null, to_begin: ['accounts', 'contracts', 'tickets'] });
  visitor = await verified('late', 'acme');
  expect(visitor.text).not.toContain('Which records?'); // all of it is shared
});

test('an account that was shared with its earlier records stays so, and is told from one that is not', async () => {
  await farmers.share(['42-1'], { partner_id: 'both' });
  const visitor = await verified('both', 'acme');
  await visitor.submit({ account: ['42-1', '42-2'], earlier: 'no' });
  expect(visitor.text).toMatch(
    /All so far, and everything new\. Of these accounts only what is new or changes: Meyer Farms 2/,
  );
  await visitor.submit({ do: 'save' });
  const saysOfBoth = () => {
    const said = /What happens next (.*?) Continue to/.exec(visitor.text)?.[1];
    expect(said).toMatch(
      /^Acme Crop Insurance gets the earlier records too, and from now on every change\. Of these accounts only what is new or changes: Meyer Farms 2 Prairie Co-op · 2 from \w+ \d+, \d{4} on$/,
    );
  };
  saysOfBoth();
  await visitor.submit({ language: 'es' });
  expect(visitor.text).toMatch(
    /recibe también los registros anteriores y, desde ahora, cada cambio\. De estas cuentas, solo lo nuevo o lo que cambie: Meyer Farms 2 /,
  );
  const isWhole = async () => {
    const both = await subscriptions(farmers.store)
      .find({ partner_id: 'both' })
      .sort({ account: 1 })
      .toArray();
    return both.map(({ from }) => from === null);
  };
  expect(await isWhole()).toEqual([true, false]);
  // who changes something else shares no earlier records unasked
  const again = await verified('both', 'acme');
  expect(again.page.html).toMatch(/name="earlier" value="no" checked/);
  await again.submit({ account: ['42-1', '42-2'], ends_on: endDays(new Date(), []).last });
  expect(again.text).not.toContain('The earlier records will be sent too');
  await again.submit({ do: 'save' });
  expect(await isWhole()).toEqual([true, false]);
});

test('times are those of the company, where its zone is known, and days alone where it is not', async () => {
  const visitor = await farmers.share(['42-2'], { partner_id: 'times' });
  await subscriptions(farmers.store).updateMany(
    { partner_id: 'times' },
    { $set: { sent: { at: new Date('2026-11-25T03:04:00Z'), delivery: 'd' } } },
  );
  const sent = async () =>
    /Last sent ([^<]*<time[^>]*>)?([^<]*)/.exec((await visitor.get('/sharing/customers')).html)![2];
  expect(await sent()).toBe('November 24, 2026'); // the day that the check page and the receipt count by
  await addIntegration(farmers.store, {
    name: 'erp',
    company: { id: '42', name: 'Prairie Co-op' },
    time_zone: 'America/Chicago',
  });
  expect((await sent())!.replace(/\s/g, ' ')).toBe('November 24, 2026 at 9:04 PM Central Time');
  await integrations(farmers.store).deleteMany({ time_zone: 'America/Chicago' });
});

test('a receipt has one day for one moment, also where the company’s zone is not known', async () => {
  const { sharing, check } = TEXTS.en;
  const at = new Date('2026-11-29T04:30:00Z'); // in America still the day before
  const day = dayInZone(at, undefined);
  expect(check.onlyNew(day)).toContain(` ${sharing.at(at, undefined)} on`);
  expect(sharing.on(at, undefined)).toBe(sharing.at(at, undefined));
  expect(sharing.on(at, 'America/Chicago')).toBe('November 28, 2026');
});

test('the day from which only what is new is shared is the company’s, on the page and on the receipt', async () => {
  const company = { id: '42', name: 'Prairie Co-op' };
  const inKiribati = { name: 'erp', company, time_zone: 'Pacific/Kiritimati' }; // its day is never that of an unknown zone
  await addIntegration(farmers.store, inKiribati);
  const visitor = await farmers.share(['42-2'], { partner_id: 'days' }, { earlier: 'no' });
  const { since } = (await granted('days'))!;
  const date = { dateStyle: 'long', timeZone: 'Pacific/Kiritimati' } as const;
  const from = `Only what is new or changes from ${new Intl.DateTimeFormat('en-US', date).format(since)} on.`;
  await visitor.get('/subscriptions/receipt');
  expect(visitor.text).toContain(from);
  const again = await verified('days', 'acme');
  await again.submit({ account: ['42-2'], ends_on: endDays(new Date(), []).last });
  expect(again.text).toContain(from);
  await integrations(farmers.store).deleteMany({ time_zone: 'Pacific/Kiritimati' });
});
