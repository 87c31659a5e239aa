import { setTimeout } from 'node:timers/promises';
import { nextPage, takeConfirmation } from '../../../api/customer/next-page';
import type { CustomerAgent } from '../../../customer/create-agent';
import type { DeliverResult } from '../../../domain/delivery';
import { type Channel, findChannel } from '../../../store/channels/channels';
import { markerId, readMarkers, startMarker } from '../../../store/markers/markers';
import { releaseForResend } from '../../../store/deliveries/set-aside';
import {
  askForPage,
  confirmWaitingPage,
  layPage,
  readWaitingPage,
} from '../../../store/markers/waiting-pages';
import { farmerOf } from '../../../store/consent/subscriptions';
import type { Store } from '../../../store/store';
import { type Call, rewire } from '../../commit-order/rewire';
import { type Scene, withScene } from '../../commit-order/scene';
import { stopHere } from '../../commit-order/stop-here';
import { ActivityWorker } from '../../setup/activity-worker';
import { addTestChannel } from '../../setup/add-test-channel';
import { slowTest } from '../../setup/cases';
import { eventually } from '../../setup/eventually';
import { FakeCustomer, type Reply } from '../../setup/fake-customer';
import { loopbackAgent } from '../../setup/loopback-agent';
import { emptyStore } from '../../setup/open-store';
import { pushRecords } from '../../setup/push-records';
import { grantAccounts } from '../../setup/share-accounts';

describe('hand-over', () => {
  const SLUG = 'acme';
  const TYPE = 'tickets';
  const requestId = 'test';
  let store: Store;
  let agent: CustomerAgent;
  let customer: FakeCustomer;

  beforeAll(async () => {
    agent = loopbackAgent();
    customer = await FakeCustomer.start(); // nothing is posted to it
  });

  beforeEach(async () => {
    store = await emptyStore();
    await addTestChannel(store, SLUG, '', { delivery: 'pull', page_size: 2, entity_types: [TYPE] });
  });

  afterAll(async () => {
    await agent.close();
    await customer.stop();
  });

  const channel = async (): Promise<Channel> => (await findChannel(store, SLUG))!;
  const ask = async () => askForPage(store, await channel(), TYPE);

  const push = (...ids: string[]) =>
    pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001' })) });

  const worker = (through = store, askTimeoutMs = 60_000) =>
    new ActivityWorker(SLUG, { store: through, agent, customer, askTimeoutMs });
  const waiting = () => readWaitingPage(store, SLUG, TYPE);
  const position = async () => (await readMarkers(store, SLUG)).get(TYPE)!.position;

  /** @returns its `webhook-id`, as soon as it waits */
  const laidPage = (): Promise<string> =>
    eventually(async () => {
      const { page, body } = (await waiting())!;
      expect(body).toBeDefined();
      return page!;
    });

  test('a page that is confirmed while it is made again stays confirmed', async () => {
    await ask();
    const id = markerId(SLUG, TYPE);
    const page = {
      page: 'msg_1',
      headers: {},
      body: Buffer.from('{}'),
      until: new Date(),
      shares_version: 0,
    };
    await layPage(store, id, page, undefined);
    await confirmWaitingPage(store, SLUG, 'msg_1');
    await layPage(store, id, page, undefined);
    expect(await waiting()).toMatchObject({ page: 'msg_1', confirmed: true });
    await layPage(store, id, { ...page, page: 'msg_2' }, 'msg_1');
    expect(await waiting()).toMatchObject({ page: 'msg_2', confirmed: false });
  });

  slowTest(
    'a page is withdrawn when nobody asks, and laid out again for the next question only',
    async () => {
      await push('T1');
      await ask();
      const patient = worker(store, 100);
      const [input] = await patient.plan();
      expect((await patient.deliver(input!)).end).toBe('left');
      expect(await waiting()).not.toHaveProperty('body');
      const looked = jest.fn();
      const seeing = rewire(store, (call) => {
        if (call.collection === 'waiting_pages') looked(call.method);
        return call.run();
      });
      expect((await worker(seeing, 100).deliver(input!)).end).toBe('uncollected');
      expect(looked.mock.calls).toEqual([['findOne']]);
      await ask();
      const delivered = worker().deliver(input!);
      expect(await confirmWaitingPage(store, SLUG, await laidPage())).toBe('tickets');
      expect((await delivered).end).toBe('delivered');
    },
  );

  slowTest('a question that was answered with nothing is not waited for', async () => {
    await ask();
    expect(await worker().plan()).toEqual([]);
    await push('T1');
    const looks = countLooks();
    const patient = worker(looks.through, 100);
    const [input] = await patient.plan();
    expect((await patient.deliver(input!)).end).toBe('uncollected');
    expect(looks.count).toBe(1);
  });

  test('a confirmation is answered once the marker has moved, not by an attempt that is overtaken', async () => {
    await push('T1');
    await ask();
    const old = worker();
    const [input] = await old.plan();
    const overtaken = old.deliver(input!);
    const page = await laidPage();
    const halt = stopHere();
    let looks = 0;
    const slow = rewire(store, async (call) => {
      // It lays its page out, after a first look, and looks again only when the other has seen the confirmation.
      if (call.collection === 'waiting_pages' && call.method === 'findOne' && ++looks === 2)
        await halt.here();
      return call.run();
    });
    const current = worker(slow).deliver(input!);
    await halt.reached;
    await confirmWaitingPage(store, SLUG, page);
    expect((await overtaken).end).toBe('superseded');
    expect([(await waiting())!.page, await position()]).toEqual([page, 0]);
    halt.goOn();
    expect((await current).end).toBe('delivered');
    expect([(await waiting())!.page, await position()]).toEqual([undefined, 1]);
  });

  /** A store through which a worker looks for its waiting page, and how often it did. */
  function countLooks() {
    const through = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'waiting_pages' && method === 'findOne') looks.count += 1;
      return run();
    });
    const looks = { through, count: 0 };
    return looks;
  }

  slowTest(
    'a customer who asks for a minute and does not confirm is one who hangs: the page is made anew in their queue',
    async () => {
      await push('T1');
      await ask();
      const looks = countLooks();
      const patient = worker(looks.through, 600_000);
      const [input] = await patient.plan();
      const first = patient.deliver(input!);
      await eventually(() => expect(looks.count).toBeGreaterThan(1)); // it has laid the page out
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
      try {
        await ask();
        expect((await first).end).toBe('left');
      } finally {
        clock.mockRestore();
      }
    },
  );

  slowTest('a page waits as long as its customer goes on asking', async () => {
    await push('T1');
    await ask();
    const looks = countLooks();
    const patient = worker(looks.through, 10_000);
    const [input] = await patient.plan();
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      const delivered = patient.deliver(input!);
      let isOver = false;
      void delivered.finally(() => (isOver = true));
      const twoLooks = async () => {
        const enough = looks.count + 2;
        while (looks.count < enough && !isOver) await setTimeout(5);
      };
      while (!(await waiting())!.page) await setTimeout(5);
      for (let time = 0; time < 3; time++) {
        now += 8_000;
        await ask();
        await twoLooks();
      }
      const { page, body } = (await waiting())!;
      expect(body).toBeDefined();
      await confirmWaitingPage(store, SLUG, page!);
      expect((await delivered).end).toBe('delivered');
    } finally {
      clock.mockRestore();
    }
  });

  slowTest(
    'a confirmation that counted is answered so, also where the worker dies before it has said that it did',
    async () => {
      await push('T1', 'T2', 'T3');
      await ask();
      let isDead = false;
      const dying = rewire(store, async (call) => {
        if (isDead) throw new Error('killed');
        const answer = await call.run();
        isDead = call.collection === 'markers' && call.method === 'updateOne';
        return answer;
      });
      const [input] = await worker().plan();
      const first = worker(dying).deliver(input!);
      const page = await laidPage();
      await confirmWaitingPage(store, SLUG, page);
      await expect(first).rejects.toThrow('killed');
      expect(await position()).toBe(2);
      const next = worker().deliver(input!);
      await eventually(async () => expect((await waiting())!.page).not.toBe(page));
      const parts = { store, temporal: { pageAskedFor: async () => true } };
      expect(await takeConfirmation(parts, { channel: await channel(), page, requestId })).toBe(true);
      await confirmWaitingPage(store, SLUG, await laidPage());
      expect((await next).end).toBe('delivered');
    },
  );

  slowTest.each<[string, (call: Call) => boolean, () => Promise<unknown>]>([
    [
      'a catch-up',
      ({ collection, method }) => collection === 'markers' && method === 'deleteOne',
      async () => {
        await store.db
          .collection<{ _id: string }>('channels')
          .updateOne({ _id: SLUG }, { $set: { scope: 'subscribed' } });
        await worker().run(); // the marker passes it over
        const farmer = farmerOf(store, '7015550142');
        await grantAccounts(store, await channel(), [
          { channel: SLUG, partner_id: 'policy-1', farmer, account: '42-1001' },
        ]);
      },
    ],
    [
      'what is sent again',
      ({ collection, method }) => collection === 'set_aside' && method === 'deleteMany',
      async () => {
        await startMarker(store, SLUG, TYPE, 1);
        await releaseForResend(store, { channel: SLUG, entity_type: TYPE }, [{ id: '42-T1', position: 1 }]);
      },
    ],
  ])('so it is where %s is gone by then', async (_, isGone, begin) => {
    await push('T1');
    await begin();
    await ask();
    let isDead = false;
    const dying = rewire(store, async (call) => {
      if (isDead) throw new Error('killed');
      const answer = await call.run();
      isDead = isGone(call);
      return answer;
    });
    const [input] = await worker().plan();
    const last = worker(dying).deliver(input!);
    const page = await laidPage();
    await confirmWaitingPage(store, SLUG, page);
    await expect(last).rejects.toThrow('killed');
    expect(await worker().plan()).toEqual([]); // the next question finds nothing
    const parts = { store, temporal: { pageAskedFor: async () => true } };
    expect(await takeConfirmation(parts, { channel: await channel(), page, requestId })).toBe(true);
  });

  slowTest(
    'a worker that stops hands the page to the next one, and does not wait for the customer',
    async () => {
      await push('T1');
      await ask();
      const stopping = worker();
      const [input] = await stopping.plan();
      const first = stopping.deliver(input!, 1); // it is to stop as soon as the customer has got one page
      await laidPage();
      const { headers } = (await waiting())!;
      await fetch(customer.baseUrl, { method: 'POST', headers: headers!, body: '{"data":[],"meta":{}}' });
      expect((await first).end).toBe('more');
      const next = worker().deliver(input!);
      await confirmWaitingPage(store, SLUG, await laidPage());
      expect((await next).end).toBe('delivered');
    },
  );

  slowTest(
    'the confirmation of a page that nobody has to send any more is answered: it waits no longer',
    async () => {
      await push('T1');
      await ask();
      const patient = worker(store, 50);
      await patient.run();
      const { page, asks } = (await waiting())!;
      await store.db.collection('tickets').deleteMany({}); // as after a revoke
      const parts = { store, temporal: { pageAskedFor: async () => (await patient.run(), true) } };
      const asked = { channel: await channel(), page: page!, requestId };
      expect([await takeConfirmation(parts, asked), await takeConfirmation(parts, asked)]).toEqual([
        false,
        false,
      ]);
      expect((await waiting())!.asks).toBe(asks + 1);
    },
  );

  test('a question sees to it that a page is made anew when what is shared changes while it waits', async () => {
    const parts = { store, temporal: { pageAskedFor: async () => true } };
    const before = await channel();
    const asked = nextPage(parts, { channel: before, entityType: TYPE, requestId });
    await eventually(async () => expect(await waiting()).not.toBeNull());
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: SLUG }, { $inc: { shares_version: 1 } });
    const page = {
      page: 'msg_1',
      headers: { 'webhook-id': 'msg_1' },
      body: Buffer.from('{}'),
      until: new Date(Date.now() + 60_000),
      shares_version: before.shares_version,
    };
    const id = markerId(SLUG, TYPE);
    await layPage(store, id, page, undefined);
    const { shares_version } = await channel();
    await eventually(
      async () => expect(await waiting()).toMatchObject({ asked_version: shares_version }),
      5_000,
    );
    await layPage(store, id, { ...page, shares_version }, undefined);
    expect(await asked).toMatchObject({ headers: page.headers });
  });

  test('a question that comes while a plan is under way is not answered by it', async () => {
    await ask();
    let late: Promise<unknown> | undefined;
    const slow = rewire(store, async (call) => {
      const answer = await call.run();
      if (call.collection === 'counters' && !late) await (late = push('T1').then(ask));
      return answer;
    });
    expect(await worker(slow).plan()).toEqual([]);
    expect(await waiting()).toMatchObject({ asks: 2, settled: 1 });
  });
});

describe('post-records', () => {
  // The table of docs/contract.md C8: every status, with what it is taken for. `searched` and `halved` go on by
  // themselves (test/workflows/feed-delivery.test.ts); here it matters that nothing but a 2xx moves the marker.
  const CONFIRMED = [200, 201, 202, 203, 204, 206, 299];

  const NOT_CONFIRMED: Record<string, { statuses: number[]; advice?: RegExp }> = {
    unavailable: { statuses: [408, 425, 500, 502, 503, 504, 507, 599] },
    throttled: { statuses: [429] },
    refused: { statuses: [400, 409, 422], advice: /what its endpoint expects; nothing was set aside$/ },
    unauthorized: { statuses: [401, 403, 407], advice: /^check the channel’s authorization$/ },
    gone: { statuses: [410], advice: /^ask the customer whether the feed is still wanted$/ },
    misconfigured: {
      statuses: [300, 301, 302, 303, 304, 307, 308, 402, 404, 405, 406, 411, 415, 418, 451, 499, 501, 505],
      advice: /^check the channel’s base URL$/,
    },
  };

  const all = Object.entries(NOT_CONFIRMED).flatMap(([failure, { statuses, advice }]) =>
    statuses.map((status) => ({ status, failure, advice })),
  );

  /** One attempt at a window of two records, from the marker. */
  async function answered(scene: Scene, reply: Reply): Promise<DeliverResult & { from: number }> {
    scene.customer.script = () => reply;
    const [input] = await scene.plan();
    return { ...(await scene.attempt(input!)), from: input!.from };
  }

  slowTest('every status of the table is taken for what it is, and only a 2xx moves the marker', () =>
    withScene(10, async (scene) => {
      for (const status of CONFIRMED) {
        await scene.push('T1', 'T2');
        const { end, from } = await answered(scene, status);
        expect([status, end]).toEqual([status, 'delivered']);
        expect(await scene.position()).toBe(from + 2);
      }
      await scene.push('T1', 'T2');
      const kept = await scene.position();
      for (const { status, failure, advice } of all) {
        const { unconfirmed } = await answered(scene, status);
        expect(unconfirmed).toMatchObject({ status, failure, retry_after_ms: null });
        expect(unconfirmed!.reason).toMatch(new RegExp(`^answered ${status}( to every record tried)?$`));
        if (advice) expect(unconfirmed!.advice).toMatch(advice);
        else expect(unconfirmed!.advice).toBeUndefined();
        expect(await scene.position()).toBe(kept);
      }
    }),
  );

  slowTest('413 to a page halves it; the marker stays', () =>
    withScene(10, async (scene) => {
      await scene.push('T1', 'T2', 'T3', 'T4');
      const { end, from } = await answered(scene, 413);
      expect(end).toBe('resized');
      expect(await scene.position()).toBe(from);
      expect(await scene.plan()).toMatchObject([{ page_size: 2 }]);
    }),
  );

  const RETRY_AFTER: [text: string, wait: number | null][] = [
    ['120', 120_000],
    ['0', 1_000],
    ['86400', 3_600_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1_000],
    ['soon', null],
    ['-5', null],
    ['1e3', null],
  ];

  slowTest(
    'a Retry-After is kept between a second and an hour, in seconds or as a date; others are left aside',
    () =>
      withScene(10, async (scene) => {
        await scene.push('T1');
        const askedBy = async (status: number, text: string) => {
          const { unconfirmed } = await answered(scene, { status, headers: { 'retry-after': text } });
          return unconfirmed!.retry_after_ms;
        };
        for (const status of [429, 503]) {
          for (const [text, wait] of RETRY_AFTER)
            expect([text, await askedBy(status, text)]).toEqual([text, wait]);
        }
        const asked = await askedBy(429, new Date(Date.now() + 600_000).toUTCString());
        expect(Math.abs(asked! - 600_000)).toBeLessThan(60_000);
      }),
  );
});
