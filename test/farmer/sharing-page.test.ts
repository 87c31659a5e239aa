import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { watchCodes, watchSharingCodes } from '../../activities/watch';
import { listAlerts } from '../../store/alerts/alerts';
import { randomUUID } from 'node:crypto';
import { close } from '../../control/close';
import { hearingSignals } from '../api/start-api';
import { renderToString } from 'preact-render-to-string';
import { gzipSync } from 'node:zlib';
import { sharingPage } from '../../api/farmer/pages/sharing-page';
import { TEXTS } from '../../api/farmer/texts/texts';
import { LANGUAGES } from '../../domain/text/language';
import { type Channel, channels, findChannel } from '../../store/channels/channels';
import { SHARING_TEXT_VERSION } from '../../api/farmer/texts/texts';
import { listConsents } from '../../store/consent/consents';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted, type Subscription, subscriptions } from '../../store/consent/subscriptions';
import { crowdedCompanies, offeredAccounts } from '../../store/consent/offered-accounts';
import { verifyConsents } from '../../store/consent/verify-consents';
import { addTestChannel } from '../setup/add-test-channel';
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
import { csrfOf, rowsIn, textOf, Visitor } from './visitor';
import { slowTest } from '../setup/cases';

const CUSTOMERS = '/sharing/customers';
const RECYCLED = '7015550177';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await addFarmersChannel(farmers, 'bank', { name: 'Prairie Bank' });
  await pushAccounts(farmers, accountsOf(PHONE, 3));
});
afterEach(async () => {
  farmers.signals.length = 0;
  for (const name of ['subscriptions', 'consents']) await farmers.store.db.collection(name).deleteMany({});
});

async function share(account: string[], changes: Record<string, string> = {}): Promise<Visitor> {
  const visitor = await farmers.verified(changes);
  await visitor.save({ account });
  expect(visitor.page.path).toBe('/subscriptions/done');
  return visitor;
}

/** By the address on texts and receipts: phone, code. */
async function look(phone = PHONE): Promise<Visitor> {
  await farmers.forgetAttempts();
  const visitor = farmers.visitor();
  await visitor.get('/sharing');
  await visitor.submit({ phone });
  await visitor.submit({ code: farmers.sender.codeFor(phone) });
  expect(visitor.page.path).toBe(CUSTOMERS);
  return visitor;
}

const sharedNow = async (slug = 'acme') =>
  (await listGranted(farmers.store, slug)).map(({ account, partner_id }) => `${account} ${partner_id}`);
const buttonsIn = ({ page }: Visitor) =>
  [...page.html.matchAll(/href="[^"]*\?(?:stop|do)=([^"]*)"/g)].map(([, value]) =>
    decodeURIComponent(value!),
  );
const actsOf = async (slug: string, partner_id: string) =>
  (
    await listConsents(farmers.store, {
      channel: slug,
      partner_id,
      farmer: await farmerIdOf(farmers.store, PHONE),
    })
  ).map(({ act, account }) => `${act} ${account}`);

/** What cannot be counted holds up no page. */
async function withoutActivity(act: () => Promise<void>): Promise<void> {
  const collection = farmers.store.db.collection.bind(farmers.store.db);
  farmers.store.db.collection = ((name: string) => {
    if (name === 'code_activity') throw new Error('away');
    return collection(name);
  }) as typeof collection;
  await act();
  await whenAllIsDone();
  farmers.store.db.collection = collection;
}

test('a stop is written down in the language of its page, whatever another window has switched to', async () => {
  const visitor = await share(['42-1']);
  await visitor.get(CUSTOMERS);
  await visitor.get(`${CUSTOMERS}?stop=acme`);
  await visitor.twin().submit({ language: 'es' });
  await visitor.submit({ stop: 'acme' });
  const stops = await farmers.store.db.collection('consents').find({ act: 'revoke' }).toArray();
  expect(stops).toMatchObject([{ language: 'en' }]);
});

test('a number that is everybody’s at one company shares at another, and the page says no more than that', async () => {
  const phone = '7015550133';
  const names = Array.from({ length: 26 }, (_, index) => `Customer ${index}`);
  await pushAccounts(
    farmers,
    names.map((name, index) => ({ id: `E${index}`, name, phones: [{ phone }] })),
  );
  await pushAccounts(farmers, [{ id: '1', name: 'Mine', phones: [{ phone }] }], { id: '43', name: 'Valley' });
  const visitor = await share(['43-1'], { phone, partner_id: 'valley' });
  await visitor.get(CUSTOMERS);
  expect(visitor.text).toContain(
    'ending in 33 at one grain company, so we cannot tell which accounts there are yours.',
  );
  expect(visitor.text).not.toContain('You cannot share');
});

describe('a customer’s link', () => {
  beforeEach(() => farmers.forgetAttempts());
  /** Enters the last code for this phone, at this address. */
  const enter = (visitor: Visitor, path: string, phone = PHONE) =>
    visitor.post(path, new URLSearchParams({ csrf: csrfOf(visitor), code: farmers.sender.codeFor(phone) }));

  test('shares nothing by a code that was asked for to see who gets one’s data', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    await visitor.get('/sharing');
    await visitor.submit({ phone: PHONE });
    expect(farmers.sender.texts.at(-1)?.body).toContain('You asked for it');
    await enter(visitor, '/subscriptions/code');
    await visitor.get('/subscriptions/accounts');
    expect(visitor.text).not.toContain('Meyer Farms');
  });

  test('does not stay behind another phone that is proven on this page', async () => {
    const visitor = await farmers.verified({ phone: OTHER_PHONE });
    await visitor.get('/sharing/phone');
    await visitor.submit({ phone: PHONE });
    await enter(visitor, '/sharing/code');
    expect(visitor.page.path).toBe(CUSTOMERS);
    await visitor.get('/subscriptions/accounts');
    expect(visitor.text).not.toContain('Meyer Farms');
  });

  test('has a code sent that opens nothing here, before and after it was entered', async () => {
    await share(['42-1']);
    await share(['42-2'], { partner_slug: 'bank', partner_id: 'LOAN-A' });
    await farmers.forgetAttempts();
    const { visitor, code } = await farmers.asked();
    await enter(visitor.twin(), '/sharing/code');
    await visitor.submit({ code });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
    const csrf = csrfOf(visitor);
    await visitor.get('/sharing');
    expect([visitor.page.path, visitor.page.html.includes(PHONE)]).toEqual(['/sharing/phone', false]);
    const moved = visitor.twin(); // with the cookie of the link under the name of this page’s
    moved.cookie = `gdx-sharing=${/\bgdx=([^;]*)/.exec(visitor.cookie!)![1]}`;
    for (const thief of [visitor, moved]) {
      for (const page of [CUSTOMERS, '/sharing/copy', '/sharing/copy/file', '/sharing/code']) {
        await thief.get(page);
        expect([page, thief.text]).toEqual([page, expect.not.stringMatching(/Prairie Bank|LOAN-A/)]);
      }
      await thief.post(CUSTOMERS, new URLSearchParams({ csrf, do: 'stop-all' }));
    }
    expect([await sharedNow(), await sharedNow('bank')]).toEqual([['42-1 policy-1'], ['42-2 LOAN-A']]);
  });

  test('goes on beside a visit of this page, which is proven by a code of its own', async () => {
    const { visitor, code } = await farmers.asked();
    await visitor.submit({ code });
    await visitor.get('/sharing');
    await visitor.submit({ phone: PHONE });
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    expect(visitor.page.path).toBe(CUSTOMERS);
    await visitor.get('/sharing');
    expect(visitor.page.path).toBe(CUSTOMERS);
    await visitor.get('/subscriptions/accounts');
    expect(visitor.text).toContain('Meyer Farms 1');
  });
});

test('codes of this page count by themselves, for the alert of the service', async () => {
  const activity = farmers.store.db.collection('code_activity');
  await activity.deleteMany({});
  await look();
  await whenAllIsDone();
  expect(await activity.find().toArray()).toMatchObject([
    { channel: 'service/sharing', counts: { sent: 1, right: 1 } },
  ]);
});

slowTest('phone, code, then every customer with its accounts; the fourth tap stops one', async () => {
  await share(['42-1', '42-2']);
  await share(['42-2'], { partner_slug: 'bank', partner_id: 'loan-1' });
  farmers.signals.length = 0;
  const visitor = await look();
  expect(farmers.sender.texts.at(-1)?.body).toContain(
    'You asked for it. Tell no one. Who sees your data: http://farmers.example/sharing\n\n@farmers.example',
  );
  const text = visitor.text;
  expect(text).toMatch(
    /Acme Crop Insurance Meyer Farms 1 Prairie Co-op · account 1 Shared since \w+ \d+, \d{4} Nothing sent since then Their reference for you: policy-1/,
  );
  expect(text).toMatch(/Prairie Bank Meyer Farms 2 .* loan-1/);
  expect(text).not.toContain('Meyer Farms 3');
  expect(buttonsIn(visitor)).toEqual(['acme/42-1', 'acme/42-2', 'acme', 'bank', 'stop-all']);

  await visitor.get(`${CUSTOMERS}?stop=acme`);
  expect(await sharedNow()).toHaveLength(2);
  await visitor.submit({ stop: 'acme' });
  expect(visitor.text).toContain('You have stopped sharing with Acme Crop Insurance. Reference: acme-5.');
  expect([await sharedNow(), await sharedNow('bank')]).toEqual([[], ['42-2 loan-1']]);
  expect(await actsOf('acme', 'policy-1')).toEqual([
    'grant 42-1',
    'grant 42-2',
    'refusal 42-3',
    'revoke 42-1',
    'revoke 42-2',
  ]);
  expect(farmers.signals.map(({ slug, signal }) => [slug, signal])).toEqual([
    ['acme', 'subscriptionsChanged'],
  ]);
  expect(await verifyConsents(farmers.store, 'acme')).toMatchObject({ ok: true, links: 5 });
});

test('the first page of a link and of this address says in a sentence whose pages these are', async () => {
  for (const [entry, path] of [
    [linkTo(), '/subscriptions/phone'],
    ['/sharing', '/sharing/phone'],
  ] as const) {
    const visitor = farmers.visitor();
    await visitor.get(entry);
    expect([visitor.page.path, visitor.text]).toEqual([
      path,
      expect.stringMatching(/(Grain \S+ ?\S*) is a service with which grain companies send records to/),
    ]);
  }
});

describe('a stop', () => {
  const stopped = 'You have stopped sharing with Acme Crop Insurance. Reference: acme-';

  test('asks first, names what it ends, and changes nothing until it is answered', async () => {
    await share(['42-1', '42-2']);
    const visitor = await look();
    expect(visitor.page.html).not.toMatch(/<button[^>]* (name="stop"|value="stop-all")/);
    for (const wish of ['stop=acme%2F42-2', 'stop=acme', 'do=stop-all']) {
      await visitor.get(`${CUSTOMERS}?${wish}`);
      expect([wish, visitor.text]).toEqual([
        wish,
        expect.stringMatching(
          /Stop sharing\? .*Acme Crop Insurance .*Meyer Farms 2 .*Yes, stop sharing No, keep/,
        ),
      ]);
      expect([wish, visitor.text.includes('Meyer Farms 1')]).toEqual([wish, !wish.includes('42-2')]);
    }
    await visitor.submit({ language: 'es' });
    expect(visitor.text).toContain('¿Dejar de compartir?');
    expect(await sharedNow()).toHaveLength(2);
    for (const nothing of ['stop=bank', 'stop=acme%2F42-3', 'stop=', 'do=save']) {
      await visitor.get(`${CUSTOMERS}?${nothing}`);
      expect(visitor.text).toContain('Quién ve mis datos');
    }
  });

  test('is said once, also in the other language, and what is over stands below what goes on', async () => {
    await share(['42-1']);
    await share(['42-1'], { partner_slug: 'bank' });
    const visitor = await look();
    await visitor.get(`${CUSTOMERS}?stop=acme`);
    await visitor.submit({ stop: 'acme' });
    expect(visitor.text).toMatch(
      /show its answer here\..* Prairie Bank .*You no longer share with Acme Crop Insurance Meyer Farms 1 .*Not shared since/,
    );
    expect([visitor.text.includes(stopped), visitor.page.html.includes('class="note"')]).toEqual([
      true,
      false,
    ]);
    await visitor.submit({ language: 'es' });
    expect(visitor.text).toMatch(/Usted dejó de compartir con Acme .*y aquí mostramos su respuesta/);
    await visitor.submit({ language: 'en' });
    expect(visitor.text).toContain(stopped);
    await visitor.get(CUSTOMERS);
    expect([visitor.text.includes(stopped), visitor.page.status]).toEqual([false, 200]);
  });

  test('says that a customer’s channel has closed, and on which day', async () => {
    const { apiKey: _, ...gone } = await addFarmersChannel(farmers, 'gone', { name: 'Gone Insurance' });
    await share(['42-1'], { partner_slug: 'gone' });
    const asker = {
      by: 'Maria',
      via: 'gdx',
      reason: 'ended',
      request_id: 'r',
      action_id: randomUUID(),
    } as const;
    await close.run({ store: farmers.store, temporal: hearingSignals().temporal }, gone.channel, {}, asker);
    const visitor = await look();
    expect(visitor.text).toMatch(
      /You no longer share with Gone Insurance We closed the link to Gone Insurance on .* 20\d\d\. It gets nothing more from us\. .*Meyer Farms 1 /,
    );
    await visitor.submit({ language: 'es' });
    expect(visitor.text).toMatch(
      /Cerramos la conexión con Gone Insurance el .* de 20\d\d\. Ya no recibe nada/,
    );
    const late = farmers.visitor();
    await late.get(linkTo({ partner_slug: 'gone' }));
    expect([late.page.status, late.text]).toEqual([400, expect.stringContaining('This link')]);
    await channels(farmers.store).deleteOne({ _id: 'gone' });
  });

  test('is offered first where there is one: a customer that cannot be stopped stands below', async () => {
    await addTestChannel(farmers.store, 'analyst', 'https://a.example', { name: 'AAA Analytics' });
    await share(['42-1']);
    expect((await look()).text).toMatch(/Acme Crop Insurance .*AAA Analytics/);
    await channels(farmers.store).deleteOne({ _id: 'analyst' });
  });
});

slowTest('one account shared twice with one customer is one row, and one button ends both', async () => {
  await share(['42-1']);
  await share(['42-1'], { partner_id: 'policy-2' });
  const visitor = await look();
  expect(buttonsIn(visitor)).toEqual(['acme']);
  expect(visitor.text).toMatch(/reference for you: policy-1 , policy-2/);
  await visitor.submit({ stop: 'acme/42-1' });
  expect(await sharedNow()).toEqual([]);
  expect([await actsOf('acme', 'policy-1'), await actsOf('acme', 'policy-2')]).toEqual([
    expect.arrayContaining(['revoke 42-1']),
    expect.arrayContaining(['revoke 42-1']),
  ]);
  expect(visitor.text).toContain('Nobody gets records of accounts');
});

slowTest(
  'of an account that is shared twice the page says the later end, or none, and what was sent last',
  async () => {
    await share(['42-1']);
    await share(['42-1'], { partner_id: 'policy-2' });
    const set = (partner_id: string, ends_at: string | null, sentAt: string) => {
      const sent = { at: new Date(sentAt), delivery: 'delivery/acme/tickets/1' };
      const changes = { ends_at: ends_at === null ? null : new Date(ends_at), sent };
      return subscriptions(farmers.store).updateOne({ partner_id }, { $set: changes });
    };
    await set('policy-1', '2090-11-01', '2026-11-21T15:04:00Z');
    await set('policy-2', null, '2026-11-20T15:04:00Z');
    const visitor = await look();
    expect(visitor.text).not.toContain('The last day is');
    expect(visitor.text).toContain('Last sent November 21, 2026');
    await set('policy-2', '2091-11-01', '2026-11-22T15:04:00Z');
    const text = textOf((await visitor.get(CUSTOMERS)).html);
    expect(text).toContain('The last day is October 31, 2091');
    expect(text).toContain('Last sent November 22, 2026');
  },
);

slowTest('an account whose id has a slash has a button that stops it, and nothing else', async () => {
  await pushAccounts(farmers, [{ id: '10/01', name: 'Meyer Farms 10', phones: [{ phone: PHONE }] }]);
  await share(['42-1', '42-10/01']);
  const visitor = await look();
  expect(buttonsIn(visitor)).toEqual(['acme/42-1', 'acme/42-10/01', 'acme']);
  await visitor.submit({ stop: 'acme/42-10/01' });
  expect(await sharedNow()).toEqual(['42-1 policy-1']);
  await pushAccounts(farmers, [{ id: '10/01', name: 'Meyer Farms 10', phones: [] }]);
});

slowTest('who has only typed the phone of a farmer stops nothing of theirs', async () => {
  await share(['42-1']);
  await farmers.forgetAttempts();
  const visitor = farmers.visitor();
  await visitor.get('/sharing');
  await visitor.submit({ phone: PHONE });
  const csrf = csrfOf(visitor);
  for (const wish of [{ stop: 'acme' }, { stop: 'acme/42-1' }, { do: 'stop-all' }])
    await visitor.post(CUSTOMERS, new URLSearchParams({ csrf, ...wish } as Record<string, string>));
  expect(await sharedNow()).toEqual(['42-1 policy-1']);
});

slowTest(
  'a number that a company has put on everybody’s account shows what was granted with it, and nothing of strangers',
  async () => {
    const everybodys = '7015550188';
    const names = Array.from({ length: 26 }, (_, index) => ({
      id: `all-${index}`,
      name: `Farm ${index}`,
      phones: [{ phone: everybodys }, ...(index <= 1 ? [{ phone: PHONE }] : [])],
    }));
    await pushAccounts(farmers, names.slice(0, 25));
    await share(['42-all-1'], { phone: everybodys });
    await share(['42-all-0', '42-all-1'], { partner: 'policy-2' });
    await pushAccounts(farmers, names.slice(25));
    const text = textOf((await look(everybodys)).page.html);
    expect(text).toContain('Farm 1');
    expect(text).not.toContain('Farm 0');
    expect(text).not.toContain('Shared from the number');
    await pushAccounts(
      farmers,
      names.map((account) => ({ ...account, phones: [] })),
    );
  },
);

test('a company that puts a farmer’s number on strangers’ accounts hides nothing of another company, and an operator hears of it', async () => {
  await share(['42-1']);
  const strangers = Array.from({ length: 26 }, (_, index) => ({
    id: `stranger-${index}`,
    name: `Stranger ${index}`,
    phones: [{ phone: PHONE }],
  }));
  const hostile = { id: '66', name: 'Hostile Elevator' };
  await pushAccounts(farmers, strangers, hostile);
  const channel = (await findChannel(farmers.store, 'acme'))!;
  const crowded = await crowdedCompanies(farmers.store, PHONE);
  const offered = await offeredAccounts(farmers.store, channel, PHONE, crowded);
  expect(offered.map(({ id }) => id)).toContain('42-1');
  expect(offered.map(({ company }) => company.id)).not.toContain('66');
  const alerts = async (at: Date) => {
    const links = { _id: channel._id, what: `Links of ${channel.name}` };
    await watchCodes(farmers.store, [links], await listAlerts(farmers.store), at);
    await watchSharingCodes(farmers.store, at);
    return (await listAlerts(farmers.store)).map(({ class: kind, message }) => `${kind}: ${message}`);
  };
  await farmers.verified();
  await look();
  const now = Date.now();
  expect((await alerts(new Date(now))).sort()).toEqual([
    expect.stringMatching(/^crowded: Links of Acme .*: company 66 has /),
    expect.stringMatching(/^crowded: The page \/sharing: company 66 has /),
  ]);
  await withoutActivity(async () => {
    expect((await farmers.verified()).at).toBe('200 /subscriptions/accounts');
    expect((await look()).at).toBe(`200 ${CUSTOMERS}`);
  });
  expect(await alerts(new Date(now + 2 * 3_600_000))).toEqual([]);
  await pushAccounts(
    farmers,
    strangers.map((account) => ({ ...account, phones: [] })),
    hostile,
  );
});

slowTest('one button stops all, once, however often it is tapped', async () => {
  await share(['42-1', '42-2']);
  await share(['42-3'], { partner_slug: 'bank' });
  const visitor = await look();
  const twin = visitor.twin();
  await Promise.all([visitor.submit({ do: 'stop-all' }), twin.submit({ do: 'stop-all' })]);
  expect([visitor.page.status, twin.page.status]).toEqual([200, 200]);
  expect([await sharedNow(), await sharedNow('bank')]).toEqual([[], []]);
  const revokes = [await actsOf('acme', 'policy-1'), await actsOf('bank', 'policy-1')].flat();
  expect(revokes.filter((act) => act.startsWith('revoke')).sort()).toEqual([
    'revoke 42-1',
    'revoke 42-2',
    'revoke 42-3',
  ]);
  const ledger = await farmers.store.db.collection('consents').find({ act: 'revoke' }).toArray();
  expect(ledger.map((entry) => entry['text_version'])).toEqual(ledger.map(() => SHARING_TEXT_VERSION));
});

slowTest('a recycled number shows, and stops, nothing of accounts that no longer carry it', async () => {
  await pushAccounts(farmers, accountsOf(RECYCLED, 1, 70));
  await share(['42-70'], { phone: RECYCLED });
  await pushAccounts(farmers, accountsOf(OTHER_PHONE, 1, 70));
  const stranger = await look(RECYCLED);
  expect(stranger.page.html).not.toMatch(/Meyer|Acme|policy-1/);
  await stranger.submit({ stop: 'acme/42-70' });
  await stranger.submit({ do: 'stop-all' });
  expect(await sharedNow()).toEqual(['42-70 policy-1']);
});

slowTest('what another phone shares of an account is shown, without its reference, and stopped', async () => {
  await pushAccounts(farmers, [
    { id: '60', name: 'Both', phones: [{ phone: PHONE }, { phone: OTHER_PHONE }] },
  ]);
  await share(['42-60'], { phone: OTHER_PHONE, partner_id: 'of-the-other' });
  await share(['42-1']);
  const visitor = await look();
  expect(visitor.text).toMatch(/Acme Crop Insurance Both .* Shared from the number ending in 99/);
  expect(visitor.text).not.toContain('of-the-other');
  expect(buttonsIn(visitor)).toEqual(['acme/42-60', 'acme/42-1', 'acme']);
  await visitor.submit({ stop: 'acme/42-60' });
  expect(await sharedNow()).toEqual(['42-1 policy-1']);
});

slowTest(
  'a customer that gets all records of the company is named, though not the farmer’s to stop',
  async () => {
    await addTestChannel(farmers.store, 'analyst', 'https://a.example', { name: 'Co-op Analytics' });
    await addTestChannel(farmers.store, 'stranger', 'https://s.example', {
      name: 'Elsewhere',
      companies: ['99'],
    });
    const visitor = await look();
    expect(visitor.text).toMatch(
      /Co-op Analytics They get the records of all customers of Prairie Co-op, yours too.* Nothing sent yet/,
    );
    expect([visitor.page.html.includes('Elsewhere'), buttonsIn(visitor)]).toEqual([false, []]);
    const at = new Date('2026-11-20T10:30:00Z');
    const delivered = { channel: 'analyst', entity_type: 'accounts', delivered_at: at } as object;
    await farmers.store.db.collection('markers').insertOne(delivered);
    await visitor.get(CUSTOMERS);
    expect(visitor.page.html).toContain(`<time datetime="${at.toISOString()}">`);
    const closed = [{ id: '71', name: 'Closed', phones: [{ phone: '7015550178' }] }];
    await pushAccounts(farmers, [{ ...closed[0], deleted_at: '2026-11-01T00:00:00Z' }]);
    expect((await look('7015550178')).page.html).not.toContain('Co-op Analytics');
    const many = Array.from({ length: 26 }, (_, index) => ({
      ...closed[0],
      id: `M${index}`,
      name: `Farm ${index}`,
    }));
    await pushAccounts(farmers, many.slice(0, 25));
    await share(['42-M1'], { phone: '7015550178' });
    expect((await look('7015550178')).page.html).toContain('Co-op Analytics');
    await pushAccounts(farmers, many.slice(25)); // everybody’s: it does not say whose the accounts are
    expect((await look('7015550178')).page.html).not.toContain('Co-op Analytics');
    await farmers.store.db
      .collection('channels')
      .deleteMany({ _id: { $in: ['analyst', 'stranger'] } as object });
  },
);

test('of a customer that got all records of the company the page says for a year that it was closed', async () => {
  await addTestChannel(farmers.store, 'analyst', 'https://a.example', { name: 'Co-op Analytics' });
  await addTestChannel(farmers.store, 'stranger', 'https://s.example', {
    name: 'Elsewhere',
    companies: ['99'],
  });
  const asker = {
    by: 'Maria',
    via: 'gdx',
    reason: 'over',
    request_id: 'r',
    action_id: randomUUID(),
  } as const;
  for (const slug of ['analyst', 'stranger']) {
    const channel = (await findChannel(farmers.store, slug))!;
    await close.run({ store: farmers.store, temporal: hearingSignals().temporal }, channel, {}, asker);
  }
  const visitor = await look();
  expect(visitor.text).toMatch(
    /You no longer share with Co-op Analytics We closed the link to Co-op Analytics on /,
  );
  expect(visitor.text).not.toMatch(/Elsewhere|the records of all customers/);
  const longAgo = { $set: { 'closed.at': new Date(Date.now() - 366 * 86_400_000) } };
  await channels(farmers.store).updateOne({ _id: 'analyst' }, longAgo);
  await visitor.get(CUSTOMERS);
  expect(visitor.text).not.toContain('Co-op Analytics');
  await farmers.store.db
    .collection('channels')
    .deleteMany({ _id: { $in: ['analyst', 'stranger'] } as object });
});

describe('another farmer who proves their phone in the same browser', () => {
  const prove = async (visitor: Visitor, entry: string) => {
    await visitor.get(entry);
    await visitor.submit({ phone: OTHER_PHONE });
    await visitor.submit({ code: farmers.sender.codeFor(OTHER_PHONE) });
    expect(visitor.page.status).toBe(200);
  };

  test('by a link neither sees nor stops on /sharing what the first one shares', async () => {
    const visitor = await share(['42-1']);
    const before = visitor.twin();
    await prove(visitor, linkTo({ phone: OTHER_PHONE, partner_id: 'other' }));
    await visitor.get('/sharing');
    expect(visitor.at).toBe('200 /sharing/phone');
    await before.get(CUSTOMERS);
    expect(before.page.status).toBe(403);
  });

  test('at /sharing sees no accounts of the first one’s link; the same farmer keeps both', async () => {
    const visitor = await share(['42-1']);
    await visitor.get('/sharing/phone');
    await prove(visitor, '/sharing/phone');
    await visitor.get('/subscriptions/accounts');
    expect(visitor.page.status).toBe(403);
    const same = await share(['42-1']);
    await same.get(linkTo());
    await same.submit({});
    await same.submit({ code: farmers.sender.codeFor(PHONE) });
    await same.get('/sharing');
    expect(same.at).toBe(`200 ${CUSTOMERS}`);
  });
});

test('signing out in a tab whose visit has ended ends all visits of the browser', async () => {
  const visitor = await share(['42-1']);
  const csrf = csrfOf(visitor);
  const before = visitor.twin();
  await visitor.get(linkTo({ partner_id: 'newer' }));
  await visitor.post('/subscriptions/sign-out', new URLSearchParams({ csrf }));
  expect(visitor.text).toContain('You are signed out');
  await before.get(CUSTOMERS);
  expect(before.page.status).toBe(403);
});

test('signing out here ends the visits of links in the same browser as well, and the other way round', async () => {
  const visitor = await share(['42-1']);
  expect(visitor.page.html).toContain('href="/sharing"');
  await visitor.get('/sharing');
  expect([visitor.page.path, buttonsIn(visitor)]).toEqual([CUSTOMERS, ['acme']]);
  const other = await farmers.verified();
  for (const [signed, from] of [
    [visitor, '/sharing/sign-out'],
    [other, '/subscriptions/sign-out'],
  ] as const) {
    const { cookie } = signed;
    await signed.post(from, new URLSearchParams({ csrf: csrfOf(signed) }));
    expect(signed.cookie).toMatch(/gdx=; gdx-sharing=$/);
    for (const page of ['/subscriptions/accounts', CUSTOMERS]) {
      const kept = farmers.visitor();
      kept.cookie = cookie;
      await kept.get(page);
      expect([page, kept.page.status, kept.text]).toEqual([
        page,
        403,
        expect.stringContaining('Your visit has ended'),
      ]);
      expect(kept.page.html.includes('href="/sharing"')).toBe(page === CUSTOMERS);
    }
  }
});

slowTest(
  'what is stopped here is not ticked any more on the customer’s page, where it was shared a moment ago',
  async () => {
    const visitor = await share(['42-1']);
    await visitor.get('/sharing');
    await visitor.submit({ stop: 'acme' });
    expect(await sharedNow()).toEqual([]);
    await visitor.get('/subscriptions/accounts');
    expect(rowsIn(visitor.page.html).filter(({ ticked }) => ticked)).toEqual([]);
  },
);

slowTest('a visit to this page opens no customer’s page, and nothing before the code', async () => {
  await share(['42-1']);
  const visitor = await look();
  await visitor.get('/subscriptions/accounts');
  expect(visitor.page.status).toBe(403);
  const early = farmers.visitor();
  await early.get('/sharing');
  expect(early.page.path).toBe('/sharing/phone');
  await early.get('/sharing');
  expect(early.page.path).toBe('/sharing/phone');
  await early.post(CUSTOMERS, new URLSearchParams({ stop: 'acme', csrf: 'x' }));
  expect(early.page.status).toBe(403);
  await early.get('/sharing/phone');
  const csrf = csrfOf(early);
  await early.post(CUSTOMERS, new URLSearchParams({ stop: 'acme', csrf }));
  expect([early.page.path, await sharedNow()]).toEqual(['/sharing/phone', ['42-1 policy-1']]);
  await early.get(linkTo());
  expect(early.page.path).toBe('/subscriptions/phone');
});

slowTest(
  'codes and guesses have the limits of the other page; a second tap at the code leads on',
  async () => {
    await farmers.forgetAttempts();
    const visitor = farmers.visitor();
    await visitor.get('/sharing');
    await visitor.submit({ phone: PHONE });
    const page = visitor.page;
    await visitor.submit({ do: 'resend' });
    expect(visitor.text).toContain('We have just sent a code');
    const code = farmers.sender.codeFor(PHONE);
    for (let tries = 0; tries < 5; tries++)
      await visitor.submit({ code: code === '000000' ? '000001' : '000000' });
    await visitor.submit({ code });
    expect(visitor.text).toContain('That code no longer works');
    for (let codes = 0; codes < 3; codes++) {
      visitor.cookie = undefined;
      await visitor.get('/sharing');
      await visitor.submit({ phone: PHONE });
    }
    expect(visitor.page.status).toBe(429);
    expect(visitor.page.html).toMatch(/href="\/sharing\/(code|phone)"/);
    expect(page.path).toBe('/sharing/code');
    const second = await tapTwice();
    expect(second.page.path).toBe(CUSTOMERS);
  },
);

async function tapTwice(): Promise<Visitor> {
  await farmers.forgetAttempts();
  const visitor = farmers.visitor();
  await visitor.get('/sharing');
  await visitor.submit({ phone: PHONE });
  const twin = visitor.twin();
  const code = farmers.sender.codeFor(PHONE);
  await visitor.submit({ code });
  await twin.submit({ code });
  return twin;
}

test.each(LANGUAGES)('many accounts and customers weigh little, and scripts nothing: %s', (language) => {
  const account = (id: number) => ({
    ...{
      id: `42-${id}`,
      remote_id: String(id),
      name: `Meyer Farms ${id}`,
      company: { id: '42', name: 'Co-op' },
    },
    own: [{ partner_id: `policy-${id}` } as Subscription],
    granted: [],
    ...{
      others: [],
      since: new Date(1.76e12 + id * 1e7),
      endsOn: '2030-10-31',
      sentAt: new Date(1.77e12 + id * 1e6),
      zone: 'America/Chicago',
    },
  });
  const recipients = ['acme', 'bank', 'lender'].map((slug) => ({
    channel: { _id: slug, name: `The ${slug}` } as Channel,
    accounts: Array.from({ length: 200 }, (_, id) => account(id)),
    ended: [],
    byCompany: undefined,
  }));
  const texts = TEXTS[language];
  const context = { texts, language, service: 'Service', action: CUSTOMERS, csrf: 'x', verified: true };
  const page = sharingPage({ context, phoneEnding: '42', recipients, stopped: undefined, crowded: false });
  const html = renderToString(page);
  expect([html.includes(texts.sharing.more(100)), html.includes('<script')]).toEqual([true, false]);
  expect(gzipSync(html).length).toBeLessThan(14 * 1024);
});

test.each(LANGUAGES)('of more than a hundred that were stopped it says how many more: %s', (language) => {
  const ended = Array.from({ length: 150 }, (_, id) => ({
    ...{ id: `42-${id}`, remote_id: String(id), name: 'Meyer Farms', company: { id: '42', name: 'Co-op' } },
    ...{ endedAt: new Date(1.77e12), deletion: undefined, isShared: false, zone: undefined },
  }));
  const channel = { _id: 'acme', name: 'Acme' } as Channel;
  const recipients = [{ channel, accounts: [], ended, byCompany: undefined }];
  const texts = TEXTS[language];
  const context = { texts, language, service: 'Service', action: CUSTOMERS, csrf: 'x', verified: true };
  const page = sharingPage({ context, phoneEnding: '42', recipients, stopped: undefined, crowded: false });
  expect(renderToString(page)).toContain(texts.sharing.more(50));
});

test.each(LANGUAGES)(
  'of a number on too many accounts it does not say that nobody gets records: %s',
  (language) => {
    const texts = TEXTS[language];
    const context = { texts, language, service: 'Service', action: CUSTOMERS, csrf: 'x', verified: true };
    const said = (crowded: boolean) => {
      const page = sharingPage({ context, phoneEnding: '42', recipients: [], stopped: undefined, crowded });
      const text = textOf(renderToString(page));
      return [texts.sharing.nobody('42'), texts.accounts.crowded.text('42')].map((one) => text.includes(one));
    };
    expect([said(false), said(true)]).toEqual([
      [true, false],
      [false, true],
    ]);
  },
);
