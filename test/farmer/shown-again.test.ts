import type { Store } from '../../store/store';
import { noteStop } from '../../store/consent/farmer-notices';
import { listConsents, listWithoutGrant, consents } from '../../store/consent/consents';
import { findFarmerId } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import { channels } from '../../store/channels/channels';
import { ERASED, listGranted, subscriptions } from '../../store/consent/subscriptions';
import { rewire, type Call } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { emptyStore } from '../setup/open-store';
import { revokeAccounts } from '../setup/share-accounts';
import { accountsOf, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';
import { textOf, type SeenPage, type Visitor } from './visitor';
import { slowTest } from '../setup/cases';
import { endDays } from '../../domain/consent/grant-end';
import { eraseFarmer, type Erased } from '../../control/erase-farmer';
import { hearingSignals } from '../api/start-api';

let farmers: Farmers;

describe('shown again', () => {
  let store: Store;
  let halt: ReturnType<typeof stopHere> | undefined;
  beforeAll(async () => {
    store = await emptyStore();
    const held = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'accounts' && method === 'find') await halt?.here();
      return run();
    });
    farmers = await startFarmers({ store: held });
    await pushAccounts(farmers, accountsOf(PHONE, 3));
  });

  const whoOf = async (partner_id: string) => ({
    channel: 'acme',
    partner_id,
    farmer: await farmerIdOf(store, PHONE),
  });
  const granted = async (partner: string) =>
    (await listGranted(store, 'acme', partner)).map(({ account }) => account).sort();
  const acts = async (partner: string) =>
    (await listConsents(store, await whoOf(partner))).map(({ act, account }) => `${act} ${account}`);
  const latest = { sort: { expires_at: -1 } } as const;

  async function atCheck(partner_id: string, ...account: string[]): Promise<Visitor> {
    const visitor = await farmers.verified({ partner_id });
    await visitor.submit({ account });
    expect(visitor.page.path).toBe('/subscriptions/check');
    return visitor;
  }

  async function share(partner_id: string, ...account: string[]): Promise<void> {
    await (await atCheck(partner_id, ...account)).submit({ do: 'save' });
  }

  function expectShownAgain({ status, path, html }: SeenPage, text: string | RegExp): void {
    expect([status, path]).toEqual([409, '/subscriptions/check']);
    expect(textOf(html)).toMatch(/changed after you opened it|Algo cambió desde que abrió/);
    expect(textOf(html)).toMatch(text);
  }

  slowTest('what was kept has been revoked elsewhere: nothing is granted anew unasked', async () => {
    await share('revoked', '42-1');
    const visitor = await atCheck('revoked', '42-1');
    expect(visitor.text).toContain('You share the same accounts as before');
    await revokeAccounts(store, [{ ...(await whoOf('revoked')), account: '42-1' }]);
    const before = await acts('revoked');
    expectShownAgain(await visitor.submit({ do: 'save' }), /You will share 1 account Meyer Farms 1/);
    expect([await granted('revoked'), await acts('revoked')]).toEqual([[], before]);
    await visitor.submit({ do: 'save' });
    expect([visitor.page.path, await granted('revoked')]).toEqual(['/subscriptions/done', ['42-1']]);
  });

  test('what stays unshared here has been shared in another visit: it is not stopped unasked', async () => {
    const visitor = await atCheck('granted', '42-1');
    await share('granted', '42-1', '42-2');
    expectShownAgain(await visitor.submit({ do: 'save' }), /You will stop sharing 1 account Meyer Farms 2/);
    expect(await granted('granted')).toEqual(['42-1', '42-2']);
  });

  test('the channel sends more often', async () => {
    const visitor = await atCheck('cadence', '42-1');
    const channels = store.db.collection<{ _id: string }>('channels');
    const setCadence = (cadence_ms: number) => channels.updateOne({ _id: 'acme' }, { $set: { cadence_ms } });
    const { cadence_ms } = (await channels.findOne({ _id: 'acme' })) as unknown as { cadence_ms: number };
    await setCadence(60_000);
    await visitor.submit({ do: 'save' });
    await setCadence(cadence_ms);
    expectShownAgain(visitor.page, 'About every minute');
    expect(await acts('cadence')).toEqual([]);
  });

  test('the customer collects its pages by now, whenever it asks', async () => {
    const visitor = await atCheck('collects', '42-1');
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'acme' }, { $set: { delivery: 'pull' } });
    await visitor.submit({ do: 'save' });
    const { page } = visitor;
    await visitor.submit({ language: 'es' });
    await channels.updateOne({ _id: 'acme' }, { $unset: { delivery: 1 } });
    expectShownAgain(page, 'How often When Acme Crop Insurance asks for them.');
    expect(textOf(page.html)).not.toContain('if anything changed');
    expect(visitor.text).toContain('Cuando Acme Crop Insurance los pide.');
    expect(await acts('collects')).toEqual([]);
  });

  test('the customer has another name by now', async () => {
    const visitor = await atCheck('renamed', '42-1');
    const channels = store.db.collection<{ _id: string }>('channels');
    const { name } = (await channels.findOne({ _id: 'acme' })) as unknown as { name: string };
    await channels.updateOne({ _id: 'acme' }, { $set: { name: 'Acme Lending' } });
    await visitor.submit({ do: 'save' });
    await channels.updateOne({ _id: 'acme' }, { $set: { name } });
    expectShownAgain(visitor.page, 'Share my records with Acme Lending');
    expect(await acts('renamed')).toEqual([]);
  });

  test('an account, or its company, is called otherwise by now', async () => {
    const visitor = await atCheck('account-renamed', '42-1');
    const rename = (name: string, company?: { id: string; name: string }) =>
      pushAccounts(farmers, [{ id: '1', name, phones: [{ phone: PHONE }] }], company);
    await rename('Schmidt Estate');
    expectShownAgain(await visitor.submit({ do: 'save' }), 'You will share 1 account Schmidt Estate');
    await rename('Schmidt Estate', { id: '42', name: 'Valley Grain' });
    expectShownAgain(await visitor.submit({ do: 'save' }), 'Schmidt Estate Valley Grain');
    expect(await acts('account-renamed')).toEqual([]);
    await rename('Meyer Farms 1');
  });

  test('the channel carries more from the middle of the save on: nothing is saved, and the page says it', async () => {
    const visitor = await atCheck('types', '42-1');
    const channels = store.db.collection<{ _id: string }>('channels');
    const { entity_types } = (await channels.findOne({ _id: 'acme' })) as unknown as {
      entity_types: string[];
    };
    halt = stopHere();
    const held = halt;
    const saving = visitor.submit({ do: 'save' });
    await held.reached;
    halt = undefined;
    const more = [...entity_types, 'settlements'];
    await channels.updateOne({ _id: 'acme' }, { $set: { entity_types: more } });
    held.goOn();
    expect((await saving).status).toBe(403);
    await visitor.get('/subscriptions/check');
    await channels.updateOne({ _id: 'acme' }, { $set: { entity_types } });
    expect([visitor.page.path, visitor.text]).toEqual([
      '/subscriptions/check',
      expect.stringContaining('settlements'),
    ]);
    expect(await acts('types')).toEqual([]);
  });

  slowTest(
    'the language was changed in another window: the ledger names the text that was read',
    async () => {
      const visitor = await atCheck('language', '42-1');
      const other = visitor.twin();
      await other.get('/subscriptions/cancelled');
      await other.submit({ language: 'es' });
      expectShownAgain(await visitor.submit({ do: 'save' }), 'Usted compartirá 1 cuenta');
      expect(await acts('language')).toEqual([]);
      await visitor.submit({ do: 'save' });
      const consents = await listConsents(store, await whoOf('language'));
      expect(consents.map((consent) => 'language' in consent && consent.language)).toEqual([
        'es',
        'es',
        'es',
      ]);
    },
  );

  slowTest('a page in the language before saves nothing', async () => {
    const visitor = await atCheck('languages', '42-1');
    await visitor.twin().submit({ language: 'es' });
    expectShownAgain(await visitor.submit({ do: 'save' }), 'Usted compartirá 1 cuenta');
    expect(await acts('languages')).toEqual([]);
  });

  test('a page that the release before has shown', async () => {
    const visitor = await atCheck('release', '42-1');
    const says = 'what another CONSENT_TEXT_VERSION said';
    await store.db.collection('sessions').findOneAndUpdate({}, { $set: { 'check.says': says } }, latest);
    expectShownAgain(await visitor.submit({ do: 'save' }), 'You will share 1 account');
    expect(await acts('release')).toEqual([]);
  });

  slowTest('ten taps on a page that says something else by now save nothing', async () => {
    const visitor = await atCheck('taps', '42-1', '42-2');
    await share('taps', '42-1');
    const taps = Array.from({ length: 10 }, () => visitor.twin());
    await Promise.all(taps.map((tap) => tap.submit({ do: 'save' })));
    for (const { page } of taps) {
      expect(page.path).toBe('/subscriptions/check');
      expect(textOf(page.html)).toMatch(/You will share 1 account .*You keep sharing 1 account/);
    }
    expect(await granted('taps')).toEqual(['42-1']);
    await taps[0]!.submit({ do: 'save' });
    expect([taps[0]!.page.path, await granted('taps')]).toEqual(['/subscriptions/done', ['42-1', '42-2']]);
  });

  slowTest('a second tap that looks at the accounts only after the first has saved', async () => {
    const visitor = await atCheck('second', '42-1');
    const second = visitor.twin();
    halt = stopHere();
    const held = halt;
    const tapped = second.submit({ do: 'save' });
    await held.reached;
    halt = undefined;
    await visitor.submit({ do: 'save' });
    const saved = await acts('second');
    held.goOn();
    await tapped;
    expect(second.at).toBe('200 /subscriptions/done');
    expect(second.text).toContain('Your choices are saved');
    await visitor.get('/subscriptions/check');
    expect([visitor.page.path, await acts('second')]).toEqual(['/subscriptions/done', saved]);
  });

  slowTest('of many accounts, the session keeps a digest', async () => {
    const phone = '7015550400';
    await pushAccounts(farmers, accountsOf(phone, 150, 7_000));
    const visitor = await farmers.verified({ partner_id: 'many', phone });
    await visitor.submit({ do: 'tick' });
    await visitor.submit({ do: 'continue' });
    expect(visitor.text).toContain('You will share 150 accounts');
    const session = await store.db.collection('sessions').findOne({}, latest);
    expect(JSON.stringify(session?.['check']).length).toBeLessThan(200);
  });
});

describe('saved meanwhile', () => {
  /** Before each call of the page to a collection. */
  let before: (call: Call) => Promise<unknown> = async () => {};

  beforeAll(async () => {
    const store = rewire(await emptyStore(), async (call) => {
      await before(call);
      return call.run();
    });
    farmers = await startFarmers({ store });
    await pushAccounts(farmers, accountsOf(PHONE, 2));
  });
  afterEach(() => {
    before = async () => {};
  });

  /** While the page saves, before its first call of this kind. */
  function meanwhile(collection: string, method: string, act: () => Promise<unknown>): void {
    before = async (call) => {
      if (call.collection !== collection || call.method !== method) return;
      before = async () => {};
      await act();
    };
  }
  const shared = async () => subscriptions(farmers.store).find({ state: 'granted' }).toArray();
  /** Without what an erasure leaves: requests to delete. */
  const ofFarmers = () => subscriptions(farmers.store).countDocuments({ partner_id: { $ne: ERASED } });
  const erase = (): Promise<Erased> => {
    const parts = { store: farmers.store, temporal: hearingSignals().temporal };
    return eraseFarmer(parts, PHONE, { reason: 'letter', request_id: 'test' });
  };
  async function chosen(choice: Record<string, string | string[]>) {
    const visitor = await farmers.verified();
    await visitor.submit(choice);
    return visitor;
  }

  slowTest('what is revoked elsewhere while its end is moved stays revoked', async () => {
    await farmers.share(['42-1']);
    const visitor = await chosen({ account: ['42-1'], ends_on: endDays(new Date(), []).last });
    const granted = await shared();
    meanwhile('consents', 'find', () => revokeAccounts(farmers.store, granted));
    await visitor.submit({ do: 'save' });
    const entries = await consents(farmers.store).find({ account: '42-1' }).sort({ number: 1 }).toArray();
    expect([await shared(), entries.map(({ act }) => act)]).toEqual([[], ['grant', 'revoke']]);
  });

  test('what is revoked elsewhere while its earlier records are added stays revoked', async () => {
    await farmers.share(['42-1'], {}, { earlier: 'no' });
    const visitor = await chosen({ account: ['42-1'], earlier: 'yes' });
    const granted = await shared();
    expect(granted).toMatchObject([{ account: '42-1', from: expect.anything() }]);
    meanwhile('consents', 'find', () => revokeAccounts(farmers.store, granted));
    await visitor.submit({ do: 'save' });
    const entries = await consents(farmers.store).find({ account: '42-1' }).sort({ number: 1 }).toArray();
    expect([await shared(), entries.slice(-2).map(({ act }) => act)]).toEqual([[], ['grant', 'revoke']]);
  });

  test.each<[string, Record<string, string>]>([
    ['its earlier records are added', { earlier: 'yes' }],
    ['its end is moved', { earlier: 'no', ends_on: endDays(new Date(), []).last }],
  ])(
    'once the farmer has stopped another account, nothing more is shared of what stays: %s',
    async (_, more) => {
      await farmers.share(['42-1', '42-2'], {}, { earlier: 'no' });
      const visitor = await farmers.verified();
      await visitor.submit({ account: ['42-1', '42-2'], ...more });
      meanwhile('channels', 'findOneAndUpdate', async () => {
        const other = await farmers.verified();
        await other.save({ account: ['42-1'], earlier: 'no' });
        expect(other.page.path).toBe('/subscriptions/done');
      });
      await visitor.submit({ do: 'save' });
      const now = [{ account: '42-1', ends_at: null, from: expect.anything() }];
      expect([visitor.page.status, await shared()]).toEqual([
        403,
        now.map((one) => expect.objectContaining(one)),
      ]);
      await visitor.get('/subscriptions/check');
      expect(visitor.at).toBe('200 /subscriptions/check');
      await revokeAccounts(farmers.store, await shared());
    },
  );

  test('who leaves after a save that new terms of the customer cut off is told as saved: a stop has been stored', async () => {
    await farmers.share(['42-1']);
    const visitor = await chosen({ account: ['42-2'] });
    const terms = { $set: { purpose: { en: 'To quote a loan.', es: 'Para cotizar un préstamo.' } } };
    meanwhile('consents', 'find', () => channels(farmers.store).updateOne({ _id: 'acme' }, terms));
    await visitor.submit({ do: 'save' });
    expect([visitor.page.status, await shared()]).toEqual([403, []]);
    const headers = { cookie: visitor.cookie! };
    const left = await farmers.ask('GET', '/subscriptions/leave?cancelled', { headers });
    expect(left.headers['location']).toContain('status=saved');
  });

  test('what another browser shares while a page that leaves it out is saved is not written down as refused', async () => {
    const visitor = await chosen({ account: ['42-2'] });
    meanwhile('consents', 'find', () => farmers.share(['42-1']));
    await visitor.submit({ do: 'save' });
    expect((await shared()).map(({ account }) => account).sort()).toEqual(['42-1', '42-2']);
    expect(await listWithoutGrant(farmers.store, 'acme')).toEqual([]);
    await revokeAccounts(farmers.store, await shared());
  });

  test('a page whose farmer is erased before it grants does not grant', async () => {
    const visitor = await chosen({ account: ['42-1'] });
    meanwhile('consents', 'find', erase);
    await visitor.submit({ do: 'save' });
    expect([visitor.page.status, await ofFarmers()]).toEqual([403, 0]);
  });

  test('a page that was claimed before its farmer is erased grants nothing to whoever has the phone next', async () => {
    const visitor = await chosen({ account: ['42-1'] });
    let isClaimed = false;
    before = async ({ collection, method, args }) => {
      if (isClaimed) {
        before = async () => {};
        await erase();
      }
      isClaimed = collection === 'sessions' && method === 'updateOne' && 'saving' in args[1]!['$set'];
    };
    await visitor.submit({ do: 'save' });
    expect([visitor.page.status, await ofFarmers()]).toEqual([403, 0]);
    expect(await findFarmerId(farmers.store, PHONE)).toBeUndefined();
  });

  test('a page that is opened while its farmer is erased makes nobody known, and the visit is over', async () => {
    const visitor = await farmers.verified();
    meanwhile('farmers', 'findOne', erase);
    await visitor.get('/subscriptions/accounts');
    expect([visitor.page.status, visitor.text]).toEqual([
      403,
      expect.stringContaining('Your visit has ended'),
    ]);
    expect(await findFarmerId(farmers.store, PHONE)).toBeUndefined();
  });

  test('what a page grants as its farmer is erased is ended: the one waits for the other', async () => {
    const visitor = await chosen({ account: ['42-1', '42-2'] });
    let erased: Promise<Erased> | undefined;
    meanwhile('consents', 'insertMany', async () => {
      const marks = stopHere();
      before = async ({ collection }) => void (collection === 'farmer_notices' && marks.here());
      erased = erase();
      await marks.reached;
    });
    await visitor.submit({ do: 'save' });
    expect([await erased, await ofFarmers()]).toMatchObject([{ revoked: 2, subscriptions: 2 }, 0]);
  });

  describe('a farmer’s stop wins over a save of many accounts that was begun before it', () => {
    const MANY = '7015550170';
    const ids = accountsOf(MANY, 501, 5_000).map(({ id }) => `42-${id}`);

    /** A page at which all of them are ticked. */
    async function manyChosen(partner_id: string): Promise<Visitor> {
      await pushAccounts(farmers, accountsOf(MANY, 501, 5_000));
      const visitor = await farmers.verified({ phone: MANY, partner_id });
      await visitor.submit({ do: 'tick' });
      await visitor.submit({ do: 'continue' });
      const all = { $set: { seen: ids, ticked: ids } }; // as after three searches
      await farmers.store.db.collection('sessions').findOneAndUpdate({}, all, { sort: { expires_at: -1 } });
      await visitor.get('/subscriptions/check');
      expect(/You will share (\d+) accounts/.exec(visitor.text)?.[1]).toBe('501');
      return visitor;
    }
    /** Before the batch of this number takes the channel. */
    function beforeBatch(number: number, act: () => Promise<unknown>): void {
      let batches = 0;
      before = async ({ collection, method }) => {
        if (collection !== 'channels' || method !== 'findOneAndUpdate' || ++batches < number) return;
        before = async () => {};
        await act();
      };
    }
    /** Whichever page it was answered. */
    async function saved(visitor: Visitor): Promise<void> {
      await visitor.submit({ do: 'save' });
      const saving = { saving: { $ne: null } };
      const count = () => farmers.store.db.collection('sessions').countDocuments(saving);
      await eventually(async () => expect(await count()).toBe(0), 30_000);
    }
    /** What “Stop all” does first. */
    const noted = async () => noteStop(farmers.store, await farmerIdOf(farmers.store, PHONE), 'en');
    const nothing = async () => {};
    async function nothingShared(): Promise<void> {
      const left = await shared();
      if (left.length > 0) await revokeAccounts(farmers.store, left);
    }
    const sharedUnder = async (partner_id: string) =>
      subscriptions(farmers.store).countDocuments({ state: 'granted', partner_id });
    async function stopAll(phone: string): Promise<void> {
      const other = await farmers.verified({ phone, partner_id: 'other' });
      await other.get('/sharing/customers');
      await other.submit({ do: 'stop-all' });
    }

    test('“Stop all” before anything is granted: nothing is', async () => {
      const visitor = await chosen({ account: ['42-1'] });
      beforeBatch(1, () => stopAll(PHONE));
      await visitor.submit({ do: 'save' });
      expect([visitor.page.status, await sharedUnder('policy-1')]).toEqual([403, 0]);
      await visitor.get('/subscriptions/check');
      await visitor.submit({ do: 'save' });
      expect([visitor.page.path, await sharedUnder('policy-1')]).toEqual(['/subscriptions/done', 1]);
    });

    test.each([
      ['shown before it', noted, 409, nothing],
      ['shown while its revoke is written', nothing, 403, noted],
    ])(
      '“Stop all” beside a save of a page that was %s: nothing is granted',
      async (_, after, status, first) => {
        await nothingShared();
        const visitor = await farmers.share(['42-1']);
        await visitor.get('/subscriptions/accounts');
        await first();
        await visitor.submit({ account: ['42-1', '42-2'] });
        await after();
        const ending = await shared();
        meanwhile('consents', 'find', () => revokeAccounts(farmers.store, ending));
        await visitor.submit({ do: 'save' });
        expect([visitor.page.status, (await shared()).map(({ account }) => account)]).toEqual([
          status,
          status === 409 ? ['42-1'] : [],
        ]);
        await visitor.get('/subscriptions/check');
        expect(visitor.at).toBe('200 /subscriptions/check');
      },
    );

    test.each<[string, number, string[]]>([
      ['before it is saved', 409, []],
      ['while it is saved', 403, []],
      ['while it is saved and stops something itself', 403, ['42-1']],
    ])(
      'a page that was shown before another link stopped something, %s, grants nothing',
      async (when, status, own) => {
        await nothingShared();
        await farmers.share(['42-1'], { partner_id: 'other' });
        if (own.length > 0) await farmers.share(own);
        const visitor = await chosen({ account: ['42-2'] });
        const other = await farmers.verified({ partner_id: 'other' });
        await other.submit({ account: [] });
        const stop = async () => {
          await other.submit({ do: 'save' });
          expect(other.page.path).toBe('/subscriptions/done');
        };
        if (when === 'before it is saved') await stop();
        else meanwhile('consents', 'find', stop);
        await visitor.submit({ do: 'save' });
        expect([visitor.page.status, (await shared()).map(({ account }) => account)]).toEqual([status, own]);
      },
    );

    slowTest('“Stop all” between two batches: the second is not granted', async () => {
      const visitor = await manyChosen('stopped');
      let seen = -1;
      beforeBatch(2, async () => {
        seen = await sharedUnder('stopped');
        await stopAll(MANY);
      });
      await saved(visitor);
      expect([seen, await sharedUnder('stopped')]).toEqual([500, 0]);
      await visitor.get('/subscriptions/check');
      expect(visitor.at).toBe('200 /subscriptions/check');
    });

    slowTest('unticked by the same link in another visit', async () => {
      const visitor = await manyChosen('unticked');
      let stopped = -1;
      beforeBatch(2, async () => {
        const other = await farmers.verified({ phone: MANY, partner_id: 'unticked' });
        await other.save({ account: [] });
        expect(other.page.path).toBe('/subscriptions/done');
        stopped = await sharedUnder('unticked');
      });
      await saved(visitor);
      expect([300, 301]).toContain(stopped);
      expect(await sharedUnder('unticked')).toBe(stopped);
    });
  });
});
