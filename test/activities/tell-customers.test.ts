import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { createPostTestPage } from '../../activities/post-test-page';
import { createTellCustomers } from '../../activities/tell-customers';
import { watchChannels, watchIntegrations } from '../../activities/watch';
import { pause, resume } from '../../control/pause-and-resume';
import { rotateSecret } from '../../control/rotate-secret';
import { setNotifyUrl } from '../../control/set-notify-url';
import type { AlertClass } from '../../domain/deliveries/alert-class';
import { addNotice, raiseAlert, resolveAlert, resolveAlerts } from '../../store/alerts/alerts';
import {
  countUntold,
  forgetUntold,
  lastNotice,
  listUntold,
  listWaiting,
  noteChange,
  noteForCustomer,
  noteUntold,
} from '../../store/alerts/customer-notices';
import { findChannel } from '../../store/channels/channels';
import { setAside } from '../../store/deliveries/set-aside';
import { notePushes, stopWatching } from '../../store/push/push-activity';
import { refuse, revoke } from '../../store/sharing/grant-and-revoke';
import type { Store } from '../../store/store';
import { AlertReceiver } from '../alerts/alert-receiver';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { validatorAt } from '../openapi/read-document';
import { addTestChannel } from '../setup/add-test-channel';
import { nightlyTest, slowTest } from '../setup/cases';
import { loopbackAgent } from '../setup/loopback-agent';
import { emptyStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { actsOf, grantAccounts, revokeAccounts } from '../setup/share-accounts';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('tell-customers', () => {
  const agent = loopbackAgent();
  const log = pino({ level: 'silent' });
  const receivers: AlertReceiver[] = [];

  const isDeclared = validatorAt(
    ...['webhooks', 'notice', 'post', 'requestBody', 'content', 'application/json', 'schema'],
  );

  afterEach(async () => {
    const received = receivers.flatMap(({ received }) => received);
    for (const receiver of receivers.splice(0)) await receiver.stop();
    for (const { id: _, ...notice } of received) expect([notice, isDeclared(notice)]).toEqual([notice, true]);
  });

  const tell = () => createTellCustomers({ store, agent, log })();
  const pages = { production: false, outboundAllow: [], outboundPorts: [], publicUrl: '' };
  const parts = () => ({ store, temporal: hearingSignals().temporal, pages });

  const asker = () =>
    ({ by: 'Acme', via: '/customer', reason: 'told', request_id: 'r', action_id: randomUUID() }) as const;
  const channelOf = async (slug: string) => (await findChannel(store, slug))!;

  /** A customer who is told; it takes nothing that is not signed with its own secret. */
  async function addTold(slug: string): Promise<AlertReceiver> {
    const { signingSecret } = await addTestChannel(store, slug, 'https://acme.example', {
      scope: 'subscribed',
    });
    const receiver = await AlertReceiver.start(() => signingSecret);
    receivers.push(receiver);
    await setNotifyUrl.run(
      parts(),
      await channelOf(slug),
      { notify_url: receiver.url.split('?')[0]! },
      asker(),
    );
    await tell();
    return receiver;
  }
  const notices = () => store.db.collection('customer_notices');
  const dueNow = (channel: string) =>
    notices().updateMany({ channel, sent_at: null }, { $set: { next_at: new Date(0) } });

  const SOON = new Date(Date.now() + 3_600_000);
  const push = (erp: string, at = new Date()) =>
    notePushes(store, erp, { erp, company: COMPANY, first_at: at, last_at: at, records: 1, warnings: 0 });

  const typesOf = ({ received }: AlertReceiver) => received.map(({ type }) => type);

  const raise = (channel: string, kind: AlertClass = 'unavailable', now = new Date()) =>
    raiseAlert(
      store,
      { channel, class: kind, subject: 'tickets', message: 'Acme points to 10.9.8.7, a private address' },
      now,
    );

  test('a first notice says that the address works', async () => {
    const acme = await addTold('acme');
    expect(acme.received).toMatchObject([{ type: 'notifications.begun', data: { channel: 'acme' } }]);
    expect(acme.refused).toEqual([]);
  });

  test('the address before is told that it is no longer, of another base URL and of a rotated secret', async () => {
    const acme = await addTold('acme');
    const channel = await channelOf('acme');
    await rotateSecret.run(parts(), channel, { at_once: false }, asker());
    await noteChange(store, channel, 'delivery.moved');
    await setNotifyUrl.run(parts(), channel, { notify_url: 'http://127.0.0.1:9/theirs' }, asker());
    await tell();
    await dueNow(`acme/${channel.notify_url!}`); // nothing to do: it was taken, though the new address takes nothing
    await tell();
    expect(typesOf(acme)[0]).toBe('notifications.begun');
    expect(typesOf(acme).slice(1)).toEqual([
      'signing_secret.rotated',
      'delivery.moved',
      'notifications.moved',
    ]);
    for (const { data } of acme.received) expect(data).toEqual({ channel: 'acme' });
  });

  test('an address that was replaced hears of changes for seven days, whatever addresses take nothing', async () => {
    const acme = await addTold('acme');
    const move = async (url: string) =>
      setNotifyUrl.run(parts(), await channelOf('acme'), { notify_url: url }, asker());
    await move('http://127.0.0.1:9/theirs');
    await move('http://127.0.0.1:9/others');
    await rotateSecret.run(parts(), await channelOf('acme'), { at_once: false }, asker());
    await tell();
    expect(typesOf(acme).slice(1)).toEqual([
      'notifications.moved',
      'notifications.moved',
      'signing_secret.rotated',
    ]);
    await notices().updateMany({}, { $set: { at: new Date(Date.now() - 8 * 24 * 3_600_000) } });
    await move('http://127.0.0.1:9/theirs');
    await tell();
    expect(typesOf(acme)).toHaveLength(4);
  });

  test('of a customer’s addresses that take nothing two are tried at a time, after those that do', async () => {
    const acme = await addTold('acme');
    for (let port = 1; port <= 4; port++)
      await setNotifyUrl.run(
        parts(),
        await channelOf('acme'),
        { notify_url: `http://127.0.0.1:${port}/` },
        asker(),
      );
    await tell();
    expect(typesOf(acme).slice(1)).toEqual(Array(4).fill('notifications.moved'));
    expect(await notices().countDocuments({ tries: { $gt: 0 } })).toBe(2);
  });

  test('a new address hears at once what the address before has not taken for hours', async () => {
    const acme = await addTold('acme');
    const { notify_url } = await channelOf('acme');
    const set = async (url: string) =>
      setNotifyUrl.run(parts(), await channelOf('acme'), { notify_url: url }, asker());
    await set('http://127.0.0.1:9/away');
    for (let tries = 0; tries < 9; tries += 1)
      await noteUntold(store, (await listWaiting(store, 'acme'))[0]!, 'answered 500', new Date());
    await set(notify_url!);
    await tell();
    expect(typesOf(acme).filter((type) => type === 'notifications.begun')).toHaveLength(3);
    await set('http://127.0.0.1:9/away');
    await tell();
    expect(await listWaiting(store, 'acme')).toMatchObject([{ tries: 1 }]);
  });

  test('a customer hears of a rotation even if the address is changed afterwards', async () => {
    const acme = await addTold('acme');
    await rotateSecret.run(parts(), await channelOf('acme'), { at_once: false }, asker());
    await setNotifyUrl.run(parts(), await channelOf('acme'), { notify_url: '' }, asker());
    await tell();
    expect(typesOf(acme)).toContain('signing_secret.rotated');
  });

  test('failures, pauses and recoveries are told once, in order, without what is inside', async () => {
    const acme = await addTold('acme');
    const { id } = await raise('acme');
    await tell();
    await raise('acme'); // still open
    await addNotice(store, id, { key: 'paused 1', kind: 'paused', message: 'For 24 hours', at: new Date() });
    await resolveAlerts(
      store,
      { channel: 'acme', message: 'confirms again', isResolved: () => true },
      new Date(),
    );
    await tell();
    await tell();
    expect(typesOf(acme).slice(1)).toEqual(['delivery.failing', 'channel.paused', 'delivery.recovered']);
    expect(acme.received[1]!.data).toEqual({
      channel: 'acme',
      failure: 'unavailable',
      message: 'Acme points to a private address',
    });
    expect(new Set(acme.received.map(({ id }) => id)).size).toBe(4);
  });

  test('of a refused key the customer is told what to check, and nothing more once it is over', async () => {
    const acme = await addTold('acme');
    const failing = { channel: 'acme', class: 'unauthorized', subject: 'tickets' } as const;
    const message = 'Acme answered 401: check the channel’s authorization';
    await raiseAlert(store, { ...failing, message }, new Date());
    const over = { channel: 'acme', message: 'Acme confirms tickets again', isResolved: () => true };
    await resolveAlerts(store, over, new Date());
    await tell();
    expect(acme.received.slice(1).map(({ data }) => data)).toMatchObject([
      { message: expect.stringMatching(/^Acme answered 401\. Check the signing secret/) },
      { message: 'Acme confirms tickets again' },
    ]);
  });

  test('what an alert has to say counts as untold, also where nothing else waits', async () => {
    const acme = await addTold('acme');
    await raise('acme');
    expect(await countUntold(store, new Date())).toBe(1);
    await tell();
    expect(await countUntold(store, new Date())).toBe(0);
    expect(typesOf(acme)).toEqual(['notifications.begun', 'delivery.failing']);
  });

  test('a recovery that comes while the failure is handed on is told with the next', async () => {
    const acme = await addTold('acme');
    await raise('acme');
    const resolving = { channel: 'acme', message: 'confirms again', isResolved: () => true };
    let resolved: number | undefined;
    const slow = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'alerts' && method === 'updateOne')
        resolved ??= await resolveAlerts(store, resolving, new Date());
      return run();
    });
    await createTellCustomers({ store: slow, agent, log })();
    await tell();
    expect(typesOf(acme).slice(1)).toEqual(['delivery.failing', 'delivery.recovered']);
  });

  test('one that takes no notice waits alone; what is days old is given up, and nothing newer', async () => {
    await addTold('acme');
    const bison = await addTold('bison');
    const daysAgo = new Date(Date.now() - 4 * 24 * 3_600_000);
    for (const [slug, at] of [
      ['acme', daysAgo],
      ['acme', undefined],
      ['bison', undefined],
    ] as const)
      await noteForCustomer(store, await channelOf(slug), {
        ...{ _id: `${slug}/${String(at)}`, type: 'channel.paused', data: {} },
        ...(at && { at }),
      });
    const [old] = await listWaiting(store, 'acme');
    await noteUntold(store, old!, 'answered 500', new Date());
    expect(await listUntold(store, new Date())).toEqual(['bison']);
    expect(await listWaiting(store, 'acme')).toHaveLength(1);
    await forgetUntold(store, 'acme');
    await tell();
    expect(typesOf(bison).slice(1)).toEqual(['channel.paused']);
  });

  test('one that is not taken waits twice as long each time, six hours at the most', async () => {
    await addTold('acme');
    await noteForCustomer(store, await channelOf('acme'), { _id: 'one', type: 'channel.paused', data: {} });
    const [now, waits] = [new Date(), [] as number[]];
    for (let tries = 0; tries < 11; tries += 1) {
      const [notice] = await listWaiting(store, 'acme');
      await noteUntold(store, notice!, 'answered 500', now);
      const [waiting] = await listWaiting(store, 'acme');
      waits.push((waiting!.next_at!.getTime() - now.getTime()) / 60_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
  });

  test('a customer’s last notice is its own newest', async () => {
    const notices = [
      ['acme', 2],
      ['acme', 3],
      ['acme', 1],
      ['bison', 4],
    ] as const;
    for (const [_id, minutes] of notices) {
      const at = new Date(Date.now() + minutes * 60_000);
      const notice = { _id: `${_id}/${minutes}`, type: 'channel.paused', data: {}, at } as const;
      await noteForCustomer(store, { _id, notify_url: 'https://a.example' }, notice);
    }
    const last = async (slug: string) => (await lastNotice(store, slug))?._id;
    expect([await last('acme'), await last('bison'), await last('credit')]).toEqual([
      'acme/3',
      'bison/4',
      undefined,
    ]);
  });

  test('a recovery after weeks is told, and its beginning not once more', async () => {
    const acme = await addTold('acme');
    await raise('acme', 'unavailable', new Date(Date.now() - 31 * 24 * 3_600_000));
    const resolving = { channel: 'acme', message: 'confirms again', isResolved: () => true };
    await resolveAlerts(store, resolving, new Date());
    await tell();
    expect(typesOf(acme).slice(1)).toEqual(['delivery.recovered']);
  });

  test('why a notice was not taken is said without an address inside', async () => {
    await addTold('acme');
    const notify_url = 'http://10.9.8.7/';
    await store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'acme' }, { $set: { notify_url } });
    await pause.run(parts(), await channelOf('acme'), {}, asker());
    await tell();
    const { problem } = (await lastNotice(store, 'acme'))!;
    expect(problem).toMatch(/^has a base URL that points to a private address/);
  });

  test('customers are not told of our own failures', async () => {
    const acme = await addTold('acme');
    for (const ours of ['infrastructure', 'codes', 'crowded'] as const) await raise('acme', ours);
    await tell();
    expect(typesOf(acme)).toEqual(['notifications.begun']);
    expect(await countUntold(store, new Date())).toBe(0);
  });

  test('who carries a company hears that its ERP is silent, and pushes again', async () => {
    const [acme, lender, other] = [await addTold('acme'), await addTold('lender'), await addTold('other')];
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'acme' }, { $set: { scope: 'all', companies: ['42'] } });
    await channels.updateOne({ _id: 'other' }, { $set: { scope: 'all', companies: ['43'] } });
    await push('agris-1');
    const silent = (silent_at: Date) =>
      store.db.collection('push_activity').updateMany({}, { $set: { silent_at } });
    for (const since of [new Date(0), new Date(0), SOON]) {
      await silent(since);
      await watchIntegrations(store, new Date());
      await tell();
    }
    expect(typesOf(acme)).toEqual(['notifications.begun', 'source.silent', 'source.recovered']);
    expect((await lastNotice(store, 'acme'))!.data).toEqual({ company: '42', name: 'Prairie Co-op' });
    expect(typesOf(other)).toEqual(['notifications.begun']);
    expect(typesOf(lender)).toEqual(['notifications.begun']); // nobody shares with it
    const key = { channel: 'lender', partner_id: 'p', farmer: 'f', account: '42-1' };
    await grantAccounts(store, await channelOf('lender'), [key]);
    await silent(new Date(0));
    await watchIntegrations(store, new Date());
    await tell();
    expect(typesOf(lender)).toEqual(['notifications.begun', 'accounts.granted', 'source.silent']);
  });

  test('a company is told to push again once one of its ERPs does and none is silent, not as one ends', async () => {
    const acme = await addTold('acme');
    await store.db.collection('channels').updateOne({}, { $set: { scope: 'all', companies: ['42'] } });
    const erps = store.db.collection<{ _id: string }>('push_activity');
    const isSilentFrom = (silent_at: Date, ...ids: string[]) =>
      erps.updateMany({ _id: { $in: ids } }, { $set: { silent_at } });
    for (const id of ['grain', 'books']) await push(id);
    const heard = async () => {
      await watchIntegrations(store, new Date());
      await tell();
      return typesOf(acme).slice(1);
    };
    await isSilentFrom(new Date(0), 'grain', 'books');
    expect(await heard()).toEqual(['source.silent', 'source.silent']);
    await isSilentFrom(SOON, 'grain');
    await heard();
    await stopWatching(store, 'books');
    expect(await heard()).toEqual(['source.silent', 'source.silent', 'source.recovered']);
    await isSilentFrom(new Date(0), 'grain');
    await heard();
    await stopWatching(store, 'grain');
    expect((await heard()).slice(3)).toEqual(['source.silent']);
  });

  test('a customer hears that the service is late, unless it collects its pages itself', async () => {
    const [acme, puller] = [await addTold('acme'), await addTold('puller')];
    await store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'puller' }, { $set: { delivery: 'pull' } });
    for (const slug of ['acme', 'puller']) {
      const { id } = await raiseAlert(store, { channel: slug, class: 'stale', message: 'late' }, new Date());
      await resolveAlert(store, id, 'Acme is fresh again', new Date());
    }
    await tell();
    expect(typesOf(acme)).toEqual(['notifications.begun', 'service.late', 'service.recovered']);
    expect((await lastNotice(store, 'acme'))!.data).toEqual({});
    expect(typesOf(puller)).toEqual(['notifications.begun']);
  });

  test('that the service has recovered is told neither by a pause nor by a failure of its own', async () => {
    const [acme, bison] = [await addTold('acme'), await addTold('bison')];
    await store.db.collection('channels').updateMany({}, { $set: { created_at: new Date(0) } });
    const watch = async () => {
      await watchChannels(store, [await channelOf('acme'), await channelOf('bison')], new Date());
      await tell();
    };
    await watch();
    await pause.run(parts(), await channelOf('acme'), {}, asker());
    await raise('bison', 'infrastructure');
    await watch();
    expect(typesOf(acme)).toEqual(['notifications.begun', 'service.late', 'channel.paused']);
    expect(typesOf(bison)).toEqual(['notifications.begun', 'service.late']);
  });

  test('the first record that it has refused, once, and without our commands', async () => {
    const acme = await addTold('acme');
    const refused = {
      ...({
        channel: 'acme',
        entity_type: 'tickets',
        failure: 'refused',
        status: 422,
        answer: 'no',
      } as const),
      ...{ delivery: 'delivery/acme/tickets/1', position: 1 },
    };
    for (const record of ['42-1', '42-2']) {
      await setAside(store, { ...refused, record });
      await watchChannels(store, [await channelOf('acme')], new Date());
      await tell();
    }
    expect(typesOf(acme)).toEqual(['notifications.begun', 'records.set_aside']);
    expect((await lastNotice(store, 'acme'))!.data).toEqual({
      failure: 'set_aside',
      message: 'Acme Crop Insurance has refused 1 record, which is set aside',
    });
  });

  test('an operator’s pause and resume', async () => {
    const acme = await addTold('acme');
    for (const act of [pause, pause, resume, pause, resume])
      await act.run(parts(), await channelOf('acme'), {}, asker());
    await tell();
    const once = ['channel.paused', 'channel.resumed'];
    expect(typesOf(acme).slice(1)).toEqual([...once, ...once]);
  });

  slowTest('a farmer’s grant, revoke and end, with the accounts and the customer’s own number', async () => {
    const acme = await addTold('acme');
    const keys = ['42-1', '42-2', '42-3'].map((account) => ({
      channel: 'acme',
      partner_id: 'policy-7',
      farmer: 'f',
      account,
    }));
    const ends_at = new Date(Date.now() + 1_000);
    await grantAccounts(store, await channelOf('acme'), keys.slice(0, 2));
    await grantAccounts(store, await channelOf('acme'), keys.slice(0, 2)); // nothing new
    await revokeAccounts(store, keys.slice(0, 1));
    await grantAccounts(store, await channelOf('acme'), keys.slice(2));
    const granted = store.db.collection<{ account: string }>('subscriptions');
    await granted.updateOne({ account: '42-3' }, { $set: { ends_at } });
    await revoke(
      store,
      actsOf('revoke', keys.slice(2)).map((act) => ({ ...act, by: 'end', ends_at }) as never),
    );
    await tell();
    expect(acme.received.slice(1).map(({ type, data }) => [type, data])).toEqual([
      [
        'accounts.granted',
        { channel: 'acme', partner_id: 'policy-7', accounts: ['42-1', '42-2'], earlier: true },
      ],
      ['accounts.revoked', { channel: 'acme', partner_id: 'policy-7', accounts: ['42-1'], delete: ['42-1'] }],
      ['accounts.granted', { channel: 'acme', partner_id: 'policy-7', accounts: ['42-3'], earlier: true }],
      ['accounts.ended', { channel: 'acme', partner_id: 'policy-7', accounts: ['42-3'], delete: ['42-3'] }],
    ]);
  });

  test('what waits is posted in the order in which it happened, though a failure is handed on later', async () => {
    const acme = await addTold('acme');
    await raise('acme', 'unavailable', new Date(Date.now() - 60_000));
    for (const act of [pause, resume]) await act.run(parts(), await channelOf('acme'), {}, asker());
    await tell();
    expect(typesOf(acme).slice(1)).toEqual(['delivery.failing', 'channel.paused', 'channel.resumed']);
  });

  test('what comes after one that is not taken waits with it, and follows it', async () => {
    const acme = await addTold('acme');
    for (const act of [pause, resume]) await act.run(parts(), await channelOf('acme'), {}, asker());
    const tried: string[] = [];
    acme.answer = ({ type }) => (tried.push(type), tried.length === 1 ? 500 : 204);
    expect(await tell()).toBe(0);
    expect(tried).toEqual(['channel.paused']);
    await dueNow('acme');
    expect(await tell()).toBe(2);
    expect(tried).toEqual(['channel.paused', 'channel.paused', 'channel.resumed']);
  });

  test('a new notice does not cut the wait of those before it short', async () => {
    const acme = await addTold('acme');
    await pause.run(parts(), await channelOf('acme'), {}, asker());
    acme.answer = () => 503;
    expect(await tell()).toBe(0);
    const tried = acme.received.length;
    await resume.run(parts(), await channelOf('acme'), {}, asker());
    acme.answer = () => 204;
    expect(await tell()).toBe(0);
    expect(acme.received).toHaveLength(tried);
    await dueNow('acme');
    expect(await tell()).toBe(2);
  });

  slowTest('a channel whose secrets do not open keeps nobody else from their notices', async () => {
    const told = [await addTold('acme'), await addTold('bison')];
    const broken = Array.from({ length: 21 }, (_, index) => `a-broken-${index}`);
    for (const slug of broken) {
      await addTestChannel(store, slug, 'https://acme.example');
      await store.db
        .collection<{ _id: string }>('channels')
        .updateOne(
          { _id: slug },
          { $set: { notify_url: 'https://a.example', authorization: Buffer.from('not sealed') } },
        );
      const notice = { _id: slug, type: 'channel.paused', data: {}, at: new Date(0) } as const;
      await noteForCustomer(store, { _id: slug, notify_url: 'https://a.example' }, notice);
    }
    for (const slug of ['acme', 'bison']) await pause.run(parts(), await channelOf(slug), {}, asker());
    expect(await tell()).toBe(2);
    for (const one of told) expect(typesOf(one).slice(1)).toEqual(['channel.paused']);
  });

  slowTest(
    'a grant that begins anew at its end is told after that end, whatever their numbers in the ledger',
    async () => {
      const acme = await addTold('acme');
      const key = { channel: 'acme', partner_id: 'policy-7', farmer: 'f', account: '42-1' };
      await refuse(
        store,
        actsOf(
          'refusal',
          Array.from({ length: 7 }, () => key),
        ),
      );
      const grants = async () => grantAccounts(store, await channelOf('acme'), [key]);
      await grants();
      const granted = store.db.collection('subscriptions');
      await granted.updateOne({}, { $set: { ends_at: new Date(Date.now() - 1_000) } });
      await grants(); // entries 9 and 10
      await tell();
      expect(typesOf(acme).slice(1)).toEqual(['accounts.granted', 'accounts.ended', 'accounts.granted']);
    },
  );

  test('those who took theirs come before those who did not, and then whoever has waited longest', async () => {
    for (const [slug, tries, seconds] of [
      ['acme', 1, 9],
      ['bison', 0, 5],
      ['credit', 0, 7],
    ] as const) {
      const at = new Date(Date.now() - seconds * 1_000);
      const notice = { _id: slug, type: 'channel.paused', data: {}, at } as const;
      await noteForCustomer(store, { _id: slug, notify_url: 'https://a.example' }, notice);
      await notices().updateOne({ channel: slug }, { $set: { tries } });
    }
    expect(await listUntold(store, new Date())).toEqual(['credit', 'bison', 'acme']);
  });

  slowTest('several that hang hold up nobody', async () => {
    const hanging = [await addTold('a-hangs'), await addTold('b-hangs'), await addTold('c-hangs')];
    const fine = await addTold('fine');
    let answer = () => {};
    const told = new Promise<number>((done) => (answer = () => done(204)));
    for (const receiver of hanging) receiver.answer = () => told;
    fine.answer = () => (answer(), 204);
    for (const slug of ['a-hangs', 'b-hangs', 'c-hangs', 'fine'])
      await pause.run(parts(), await channelOf(slug), {}, asker());
    expect(await tell()).toBe(4);
  });

  test('of accounts granted at once under two of the customer’s numbers each number is told its own', async () => {
    const acme = await addTold('acme');
    const key = { channel: 'acme', farmer: 'f' };
    await grantAccounts(store, await channelOf('acme'), [
      { ...key, partner_id: 'policy-7', account: '42-1' },
      { ...key, partner_id: 'policy-8', account: '42-2' },
      { ...key, partner_id: 'policy-7', account: '42-3' },
    ]);
    await tell();
    const granted = acme.received.slice(1).map(({ data }) => data);
    expect(granted).toHaveLength(2);
    expect(granted).toContainEqual({
      channel: 'acme',
      partner_id: 'policy-7',
      accounts: ['42-1', '42-3'],
      earlier: true,
    });
    expect(granted).toContainEqual({
      channel: 'acme',
      partner_id: 'policy-8',
      accounts: ['42-2'],
      earlier: true,
    });
  });

  nightlyTest(
    'one that hangs or refuses holds up nobody, is tried again under the same id, and is given up after days',
    async () => {
      const [hangs, refuses, fine] = [
        await addTold('hangs'),
        await addTold('refuses'),
        await addTold('fine'),
      ];
      hangs.answer = () => 'hang';
      const ids: string[] = [];
      refuses.answer = ({ id }) => (ids.push(id), 500);
      for (const slug of ['hangs', 'hangs', 'refuses', 'fine'])
        await pause.run(parts(), await channelOf(slug), {}, asker());
      const begun = Date.now();
      await tell();
      expect(Date.now() - begun).toBeLessThan(15_000);
      expect(typesOf(fine).slice(1)).toEqual(['channel.paused']);
      expect((await lastNotice(store, 'refuses'))!.problem).toBe('answered 500');
      expect(await countUntold(store, new Date())).toBe(0); // they wait
      await dueNow('refuses');
      await tell();
      expect(new Set(ids).size).toBe(1);
      expect(ids).toHaveLength(2);
      const longAgo = new Date(Date.now() - 4 * 24 * 3_600_000);
      await notices().updateMany(
        { channel: 'refuses', sent_at: null },
        { $set: { next_at: new Date(0), at: longAgo } },
      );
      await tell();
      expect(await notices().countDocuments({ channel: 'refuses', next_at: { $ne: null } })).toBe(0);
    },
  );

  test('without an address nothing is kept, and what waits for a removed one is forgotten', async () => {
    await addTestChannel(store, 'silent', 'https://silent.example');
    await pause.run(parts(), await channelOf('silent'), {}, asker());
    await raise('silent');
    expect(await tell()).toBe(0);
    const acme = await addTold('acme');
    await pause.run(parts(), await channelOf('acme'), {}, asker());
    await setNotifyUrl.run(parts(), await channelOf('acme'), { notify_url: '' }, asker());
    await tell();
    expect([typesOf(acme), await countUntold(store, new Date())]).toEqual([
      ['notifications.begun', 'notifications.moved'],
      0,
    ]);
  });

  nightlyTest('a customer for whom very many notices wait keeps no other from theirs', async () => {
    await addTold('crowded');
    const acme = await addTold('acme');
    const notices = store.db.collection<Record<string, unknown>>('customer_notices');
    const now = new Date();
    const [first] = await notices.find({ channel: 'crowded' }).toArray();
    const waiting = Array.from({ length: 10_001 }, (_, index) => ({
      ...first,
      _id: `crowded/${index}` as never,
      tries: 0,
      next_at: new Date(now.getTime() - 60_000),
      at: new Date(now.getTime() - 60_000),
    }));
    await notices.insertMany(waiting);
    await noteForCustomer(store, await channelOf('acme'), { _id: 'late', type: 'channel.paused', data: {} });
    expect(await listUntold(store, new Date())).toEqual(['crowded', 'acme']);
    await tell();
    expect(typesOf(acme)).toContain('channel.paused');
  });
});

describe('post-test-page', () => {
  // With a worker and a customer: test/workflows/feed-delivery.test.ts.

  test('what a customer is told of its own URL has no address inside', async () => {
    const agent = loopbackAgent();
    await addTestChannel(store, 'acme', 'http://10.9.8.7:8080', { name: 'Acme' });
    const answer = await createPostTestPage({ store, agent })('acme');
    expect(answer).toMatchObject({
      class: 'misconfigured',
      reason: expect.stringMatching(/^Acme has a base URL that points to a private address/),
    });
    expect(JSON.stringify(answer)).not.toContain('10.9.8.7');
  });
});
