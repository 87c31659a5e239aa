import { setTimeout } from 'node:timers/promises';
import pino from 'pino';
import { createPostHeads } from '../../activities/post-heads';
import { createSendAlert } from '../../activities/send-alert';
import { forReceiver } from '../../activities/webhook-body';
import { readAlertSecret } from '../../store/secrets/alert-secret';
import { listAlerts, raiseAlert, resolveAlerts } from '../../store/alerts/alerts';
import { findChannel, listChannels } from '../../store/channels/channels';
import { noteErasure, readUnposted } from '../../store/consent/erasures';
import { verifyConsents } from '../../store/consent/verify-consents';
import type { Store } from '../../store/store';
import { AlertReceiver } from '../alerts/alert-receiver';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { emptyStore } from '../setup/open-store';
import { grantAccounts } from '../setup/share-accounts';

let store: Store;
let receiver: AlertReceiver;
let secret: string;
beforeEach(async () => {
  store = await emptyStore();
  secret = await readAlertSecret(store);
  receiver = await AlertReceiver.start(() => secret);
});

describe('send-alert', () => {
  const lines: { msg: string; channel: string; problem?: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

  beforeEach(() => void lines.splice(0));

  const sender = (webhook: { url: string; secret: string | undefined } | undefined) =>
    createSendAlert({ store, log, alertWebhook: webhook });
  const toReceiver = () => sender({ url: receiver.url, secret: undefined });

  const raise = (channel = 'acme', kind: 'unauthorized' | 'gone' = 'unauthorized') =>
    raiseAlert(
      store,
      { channel, class: kind, subject: 'tickets', message: `${channel} answered 401` },
      new Date(),
    );

  const resolve = () =>
    resolveAlerts(store, { channel: 'acme', message: 'well again', isResolved: () => true }, new Date());

  test('a notice is sent once, signed, and says what an operator needs', async () => {
    const { id } = await raise();
    const send = toReceiver();
    expect(await send()).toEqual({ sent: 1, unsent: 0 });
    expect(await send()).toEqual({ sent: 0, unsent: 0 });
    expect(receiver.refused).toEqual([]);
    const [alert] = await listAlerts(store);
    expect(receiver.received).toEqual([
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
        type: 'alert.opened',
        timestamp: alert!.opened_at.toISOString(),
        text: 'opened (unauthorized): acme answered 401. See gdx channel show acme',
        data: {
          alert: id,
          channel: 'acme',
          class: 'unauthorized',
          state: 'open',
          message: 'acme answered 401',
          opened_at: alert!.opened_at.toISOString(),
        },
      },
    ]);
    await resolve();
    await send();
    expect(receiver.received[1]).toMatchObject({
      type: 'alert.resolved',
      data: { alert: id, state: 'resolved' },
    });
  });

  test('Slack, PagerDuty and Alertmanager get what they take, by the address of the webhook', async () => {
    const { id } = await raise();
    const at = (path: string) => receiver.url.replace(/\/hook.*/, path);
    const unsent = { 'notices.0.sent_at': null, unsent: 1, claimed_at: new Date(0) };
    const again = () => store.db.collection('alerts').updateMany({}, { $set: unsent });
    const posted = async (path: string) => {
      await sender({ url: at(path), secret: undefined })();
      return receiver.received.splice(0) as unknown[];
    };
    const dedup_key = id;
    const [opened] = await posted('/v2/enqueue?routing_key=0123abcd');
    expect(opened).toMatchObject({
      ...{ routing_key: '0123abcd', event_action: 'trigger', dedup_key },
      payload: {
        ...{ summary: expect.stringContaining('acme answered 401'), severity: 'error', component: 'acme' },
        ...{ source: 'grain-data-exchange', class: 'unauthorized', timestamp: expect.stringMatching(/Z$/) },
      },
    });
    await again();
    const firing = await posted('/api/v2/alerts');
    const labels = { alertname: 'GdxAlert', channel: 'acme', class: 'unauthorized' };
    expect(firing).toMatchObject([{ 0: { labels, annotations: { summary: 'acme answered 401' } } }]);
    const endOf = (one: unknown) => Date.parse((one as { 0: { endsAt: string } })[0].endsAt);
    expect(endOf(firing[0])).toBeGreaterThan(Date.now() + 300 * 86_400_000);
    await resolve();
    await again();
    const over = { event_action: 'resolve', dedup_key };
    expect((await posted('/v2/enqueue?routing_key=0123abcd')).at(-1)).toMatchObject(over);
    await store.db
      .collection('alerts')
      .updateMany({}, { $set: { ...unsent, 'notices.1.sent_at': null, unsent: 2 } });
    expect(endOf((await posted('/api/v2/alerts')).at(-1))).toBeLessThanOrEqual(Date.now());
    expect(receiver.paths.join()).not.toContain('routing_key');
    const data = { heads: [], erasures: [] };
    const message = { type: 'ledger.heads', timestamp: '', text: 'it fails', data } as const;
    expect(forReceiver('https://hooks.slack.com/services/T/B/x', message)?.body).toEqual({
      text: 'it fails',
    });
  });

  test('a secret that is set signs instead of the derived one', async () => {
    await raise();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await sender({ url: receiver.url, secret })()).toEqual({ sent: 0, unsent: 1 });
    expect(receiver.refused).toHaveLength(1); // the receiver knows the derived one only
  });

  slowTest('a webhook that is down gets everything when it is up, in order, each once', async () => {
    const send = toReceiver();
    await receiver.stop();
    await raise();
    expect(await send()).toEqual({ sent: 0, unsent: 1 });
    expect(lines).toMatchObject([{ channel: 'acme', problem: 'ECONNREFUSED' }]);
    await resolve();
    for (let tries = 0; tries < 20; tries++) await send();
    expect(lines.length).toBeLessThan(8); // it is left alone for longer and longer: five tries take 7 s at the least
    await receiver.listen();
    await store.db.collection('alerts').updateMany({}, { $set: { claimed_at: new Date(0) } }); // a minute later
    await eventually(async () => expect(await send()).toMatchObject({ unsent: 0 }));
    expect(receiver.told()).toEqual(['acme unauthorized alert.opened', 'acme unauthorized alert.resolved']);
  });

  test('sent again, a notice has the same id', async () => {
    const seen: string[] = [];
    receiver.answer = ({ id }) => {
      seen.push(id);
      return seen.length === 1 ? 500 : 200;
    };
    await raise();
    await toReceiver()();
    await store.db.collection('alerts').updateMany({}, { $set: { claimed_at: new Date(0) } });
    await toReceiver()(); // another worker, which knows nothing of the first's failure
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  test('every notice has an id of its own: the receiver drops none as known', async () => {
    await raise('acme');
    await raise('bison');
    await resolve();
    await raise('acme');
    await toReceiver()();
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
  });

  test('an alert about an integration names that, and no channel', async () => {
    const key = { channel: 'integration/agris-1', integration: 'agris-1' };
    const silent = { ...key, class: 'silent', subject: undefined, message: 'nothing was pushed' } as const;
    await raiseAlert(store, silent, new Date());
    await toReceiver()();
    expect(receiver.received.map(({ data }) => data)).toMatchObject([
      { channel: null, integration: 'agris-1', class: 'silent' },
    ]);
  });

  slowTest('one that is refused holds up no other', async () => {
    receiver.answer = ({ data }) => (data.channel === 'acme' ? 400 : 200);
    await raise('acme');
    const send = toReceiver();
    await send();
    await raise('bison', 'gone');
    await eventually(async () => expect(await send()).toMatchObject({ sent: 1 }));
    expect(receiver.told()).toEqual(['bison gone alert.opened']);
  });

  test('a webhook that redirects has not taken it, and is not followed', async () => {
    const elsewhere = await AlertReceiver.start(() => secret);
    receiver.location = elsewhere.url;
    receiver.answer = () => 307;
    await raise();
    const sent = await toReceiver()();
    await elsewhere.stop();
    expect([sent, elsewhere.received]).toEqual([{ sent: 0, unsent: 1 }, []]);
    expect(lines).toMatchObject([{ problem: 'answered 307' }]);
  });

  test('two workers at once send one each', async () => {
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((slug) => raise(slug)));
    const sent = await Promise.all([toReceiver()(), toReceiver()(), toReceiver()()]);
    expect(sent.reduce((sum, one) => sum + one.sent, 0)).toBe(5);
    expect(new Set(receiver.told()).size).toBe(5);
    expect(receiver.received).toHaveLength(5);
  });

  nightlyTest('one that never answers costs five seconds, once', async () => {
    const asked: string[] = [];
    receiver.answer = ({ data }) => {
      asked.push(data.channel);
      return 'hang';
    };
    await raise('a');
    await raise('b');
    const send = toReceiver();
    const started = performance.now();
    expect(await send()).toEqual({ sent: 0, unsent: 2 });
    expect(performance.now() - started).toBeGreaterThan(4_000);
    expect(asked).toHaveLength(1);
    expect(lines).toMatchObject([{ problem: 'no answer within 5 s' }]);
  });

  test('without a webhook they are kept, and logged once', async () => {
    await raise();
    const send = sender(undefined);
    expect(await send()).toEqual({ sent: 1, unsent: 0 });
    await send();
    await setTimeout(1);
    expect(lines).toMatchObject([{ msg: 'alert opened', channel: 'acme', message: 'acme answered 401' }]);
    expect(await listAlerts(store)).toHaveLength(1);
  });
});

describe('post-heads', () => {
  const HOUR_MS = 3_600_000;

  beforeEach(async () => {
    for (const slug of ['acme', 'quiet'])
      await addTestChannel(store, slug, 'https://acme.example', { scope: 'subscribed' });
  });

  const lines: { heads?: string[] }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

  const share = async (account: string) =>
    grantAccounts(store, (await findChannel(store, 'acme'))!, [
      { channel: 'acme', partner_id: 'p', farmer: 'dale', account },
    ]);

  async function post(afterHours: number, to = receiver, through = store): Promise<void> {
    const alertWebhook = { url: to.url, secret: undefined };
    const postHeads = createPostHeads({ store: through, log, alertWebhook });
    await postHeads(await listChannels(store), new Date(Date.now() + afterHours * HOUR_MS));
  }
  const posted = () => receiver.received.map(({ data }) => (data as unknown as { heads: string[] }).heads);

  slowTest(
    'a head is posted when it has moved, at most once an hour, and once a day; it opens no alert',
    async () => {
      await post(0);
      expect(posted()).toEqual([]);
      await share('1');
      await post(0);
      await post(0.5);
      const verdict = await verifyConsents(store, 'acme');
      expect(posted()).toEqual([[`acme/1:${verdict.ok && verdict.head}`]]);
      await share('2');
      await post(0.5);
      expect(posted()).toHaveLength(1);
      await post(1.1);
      expect(posted()[1]).toEqual([expect.stringMatching(/^acme\/2:[0-9a-f]{64}$/)]);
      await post(20);
      expect(posted()).toHaveLength(2);
      await post(26);
      expect(posted()[2]).toEqual(posted()[1]);
      expect([receiver.received[0], receiver.refused, await listAlerts(store)]).toEqual([
        expect.objectContaining({ type: 'ledger.heads' }),
        [],
        [],
      ]);
    },
  );

  test('an entry made while the one before is posted is posted an hour later', async () => {
    await share('1');
    let meanwhile: Promise<unknown> | undefined;
    const slow = rewire(store, async ({ collection, run }) => {
      if (collection === 'channels') await (meanwhile ??= share('2'));
      return run();
    });
    await post(0, receiver, slow);
    await post(1.1);
    expect(posted()).toEqual([[expect.stringMatching(/^acme\/1:/)], [expect.stringMatching(/^acme\/2:/)]]);
  });

  test('a webhook that answers nothing is asked once a pass, however many pages of channels there are', async () => {
    await share('1');
    let asked = 0;
    receiver.answer = () => ((asked += 1), 503);
    const alertWebhook = { url: receiver.url, secret: undefined };
    const postHeads = createPostHeads({ store, log, alertWebhook });
    for (let page = 0; page < 3; page++) await postHeads(await listChannels(store), new Date());
    expect(asked).toBe(1);
    receiver.answer = () => 204;
    await post(0);
    expect(posted()).toHaveLength(1);
  });

  test('a webhook that takes its time over each gets the rest of them in the next pass', async () => {
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now');
    let asked = 0;
    receiver.answer = () => (clock.mockReturnValue(now + ++asked * 8_000), 204);
    clock.mockReturnValue(now);
    const postHeads = createPostHeads({ store, log, alertWebhook: { url: receiver.url, secret: undefined } });
    for (let page = 1; page <= 4; page++) {
      await share(`${page}`);
      await postHeads(await listChannels(store), new Date(Date.now() + 2 * page * HOUR_MS));
    }
    clock.mockRestore();
    expect(posted()).toHaveLength(2); // those after them wait no longer than 16 s
    await post(24);
    expect(posted()).toHaveLength(3);
  });

  test('what was refused is posted again; without a webhook the heads are logged', async () => {
    await share('1');
    await noteErasure(store, 'farmer-1');
    receiver.answer = () => 503;
    await post(0);
    receiver.answer = () => 204;
    await post(0);
    expect(posted()).toHaveLength(1);
    expect(await readUnposted(store)).toEqual([]);
    expect(receiver.received[0]!.data).toMatchObject({ erasures: [expect.stringMatching(/^erased:1:/)] });
    await noteErasure(store, 'farmer-2');
    receiver.answer = () => 503;
    await post(2);
    expect(await readUnposted(store)).toHaveLength(1);
    receiver.answer = () => 204;
    lines.splice(0);
    await createPostHeads({ store, log })(await listChannels(store), new Date(Date.now() + 25 * HOUR_MS));
    expect(lines).toEqual([expect.objectContaining({ heads: posted()[0] })]);
  });
});
