import { listReleased, listSetAside, releaseForResend } from '../../../store/deliveries/set-aside';
import { findChannel } from '../../../store/channels/channels';
import { setPassedFields } from '../../../store/sharing/passed-fields';
import { missing } from '../../commit-order/both-halves';
import { type Scene, withScene } from '../../commit-order/scene';
import { SLUG } from '../../setup/stand';
import { slowTest } from '../../setup/cases';
import type { ReceivedPage, Reply, Script } from '../../setup/fake-customer';
import { COMPANY, pushRecords } from '../../setup/push-records';
import { openSharedScene, type SharedScene } from '../../sharing/open-shared-scene';

// Customers that change their answers: a record is set aside only if it was refused alone, twice, around a confirmation.

const EIGHT = ['T0', 'T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7'];

/** Answers so many pages with this, and is well then. */
const firstly = (times: number, reply: Reply): Script => {
  let left = times;
  return () => (left-- > 0 ? reply : 200);
};

const refusing =
  (...bad: string[]) =>
  ({ records }: ReceivedPage) =>
    records.some(({ remote_id }) => bad.includes(remote_id)) ? 409 : 200;

const asideOf = async ({ store }: Pick<Scene, 'store'>) =>
  (await listSetAside(store, SLUG)).map(({ record }) => record);

/** What each page held since, with `+` where it was confirmed. */
const pagesOf = ({ customer }: Pick<Scene, 'customer'>, since = 0) =>
  customer.pages
    .slice(since)
    .map(
      ({ records, status }) =>
        records.map(({ remote_id }) => remote_id).join(' ') + (status < 300 ? '+' : ''),
    );

const sentAgain = ({ store }: Scene, ...ids: string[]) =>
  releaseForResend(
    store,
    { channel: SLUG, entity_type: 'tickets' },
    ids.map((id) => ({ id: `42-${id}`, position: 1 })),
  );

describe('a customer that is in trouble for a short time', () => {
  test('has no record set aside that it was sent among others only: T3 comes in its place', () =>
    withScene(8, async (scene) => {
      await scene.push(...EIGHT);
      scene.customer.script = firstly(2, 409);
      await scene.run();
      expect([await asideOf(scene), await missing(scene)]).toEqual([[], []]);
      expect(
        scene.customer.pages
          .flatMap(({ status, records }) => (status === 200 ? records : []))
          .map(({ remote_id }) => remote_id),
      ).toEqual(EIGHT);
    }));

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'nor one of a page that it refuses %i times, whole or in parts',
    (times) =>
      withScene(8, async (scene) => {
        await scene.push(...EIGHT);
        scene.customer.script = firstly(times, 409);
        await scene.run();
        await scene.run();
        expect([await asideOf(scene), await missing(scene)]).toEqual([[], []]);
        expect((await findChannel(scene.store, SLUG))!.page_limits).toBeUndefined();
      }),
  );

  test('nor the only record of a window, or one that it has asked for again', () =>
    withScene(8, async (scene) => {
      await scene.push('T0');
      scene.customer.script = firstly(1, 409);
      await scene.run();
      expect([await asideOf(scene), await scene.position()]).toEqual([[], 0]);
      await scene.run();
      await sentAgain(scene, 'T0');
      scene.customer.script = firstly(1, 409);
      await scene.run();
      expect([await asideOf(scene), (await listReleased(scene.store, SLUG)).length]).toEqual([[], 1]);
      await scene.run();
      expect([await missing(scene), await listReleased(scene.store, SLUG)]).toEqual([[], []]);
    }));

  test('nor one that alone is too large for it, as it says', () =>
    withScene(1, async (scene) => {
      await scene.push('T0', 'T1');
      scene.customer.script = firstly(1, 413);
      await scene.run();
      expect([await asideOf(scene), await missing(scene)]).toEqual([[], []]);
    }));
});

describe('a record that is refused alone for good', () => {
  test('is set aside at its second refusal, when the record after it is confirmed', () =>
    withScene(8, async (scene) => {
      await scene.push(...EIGHT);
      scene.customer.script = refusing('T2');
      await scene.run();
      expect(await asideOf(scene)).toEqual(['42-T2']);
      const [, , ...search] = pagesOf(scene);
      expect(search).toEqual(['T0 T1+', 'T2', 'T3+', 'T2', 'T4 T5 T6 T7+']);
    }));

  test('is compared with the one before, sent again, where none is behind it', () =>
    withScene(4, async (scene) => {
      await scene.push('T0', 'T1', 'T2', 'T3');
      scene.customer.script = refusing('T3');
      await scene.run();
      expect(pagesOf(scene).slice(2)).toEqual(['T2+', 'T3', 'T2+', 'T3']);
      expect([await asideOf(scene), await scene.position()]).toEqual([['42-T3'], 4]);
    }));

  test('waits where its type has no other, until there is one', () =>
    withScene(8, async (scene) => {
      scene.customer.script = refusing('T0');
      await scene.push('T0');
      await scene.run();
      await scene.run();
      expect([await scene.position(), await asideOf(scene)]).toEqual([0, []]);
      await scene.push('T1');
      await scene.run();
      expect([await scene.position(), await asideOf(scene)]).toEqual([2, ['42-T0']]);
    }));

  test('is compared with one that the marker has passed, sent again, where no other is left', () =>
    withScene(8, async (scene) => {
      await scene.push('T0');
      await scene.run();
      scene.customer.script = refusing('T1');
      await scene.push('T1');
      await scene.run();
      expect(pagesOf(scene).slice(1)).toEqual(['T1', 'T0+', 'T1']);
      expect([await scene.position(), await asideOf(scene)]).toEqual([2, ['42-T1']]);
    }));
});

describe('a page that fails whole, and passes in halves', () => {
  const atMost =
    (most: number, reply: Reply = 400): Script =>
    ({ records }) =>
      records.length > most ? reply : 200;
  const sizes = ({ customer }: Scene) => customer.pages.map(({ records }) => records.length);
  const limitOf = async ({ store }: Scene) => (await findChannel(store, SLUG))!.page_limits?.tickets;

  test('is too long when the next one fails as well: the size of pages is halved, and kept', () =>
    withScene(4, async (scene) => {
      await scene.push(...EIGHT);
      scene.customer.script = atMost(2);
      await scene.run();
      expect(sizes(scene)).toEqual([4, 2, 1, 1, 4]);
      expect(await limitOf(scene)).toMatchObject({ records: 2 });
      await scene.run();
      expect([await missing(scene), await asideOf(scene)]).toEqual([[], []]);
    }));

  slowTest('a customer in short trouble gets no smaller pages: the next one passes whole', () =>
    withScene(4, async (scene) => {
      await scene.push(...EIGHT, 'T8', 'T9', 'U0', 'U1');
      scene.customer.script = ({ records }) =>
        scene.customer.pages.length === 1 || records.some(({ remote_id }) => remote_id === 'T9') ? 400 : 200;
      await scene.run();
      expect([await limitOf(scene), await asideOf(scene)]).toEqual([undefined, ['42-T9']]);
    }),
  );
});

describe('where something is no longer shared, or shown, during the search', () => {
  let scene: SharedScene;
  beforeEach(async () => {
    scene = await openSharedScene(4);
    for (const account of ['1001', '1002']) await scene.grant(account);
    await scene.run();
  });

  /** Does it once so many tickets' pages have come. */
  const after = (pages: number, act: () => Promise<unknown>, reply: Script): void => {
    scene.customer.script = async (page) => {
      if (page.entityType !== 'tickets') return 200;
      if (--pages === 0) await act();
      return reply(page);
    };
  };
  const ofB = { 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1002'] };

  test.each([1, 2, 3, 4])(
    'a revoke, with request %i, of the last record is no confirmation',
    async (request) => {
      await scene.pushTickets(ofB);
      after(
        request,
        () => scene.revoke('1002'),
        () => 400,
      );
      await scene.run();
      expect(await asideOf(scene)).toEqual([]);
      scene.customer.script = () => 200;
      await scene.run();
      expect([...scene.customer.holds('tickets').keys()].sort()).toEqual(
        expect.arrayContaining(['42-T-1', '42-T-2', '42-T-3']),
      );
    },
  );

  test.each([1, 2, 3, 4, 5])(
    'nor does the revoke, with request %i, of the refused record itself accuse its neighbour',
    async (request) => {
      await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1001'] });
      const refuses = refusing('T-1');
      after(request, () => scene.revoke('1002'), refuses);
      await scene.run();
      expect((await asideOf(scene)).filter((id) => id !== '42-T-1')).toEqual([]);
      expect([...scene.customer.holds('tickets').keys()].sort()).toEqual(['42-T-2', '42-T-3', '42-T-4']);
    },
  );

  test.each([1, 2, 3])(
    'nor is a record set aside for a field that is withdrawn with request %i',
    async (request) => {
      const ERP = { _id: 'agris', company: COMPANY };
      const field = 'tickets.our_note';
      await setPassedFields(scene.store, ERP, { add: [field], remove: [] });
      const ticket = (id: string, more = {}) => ({ id, account_id: '1001', ...more });
      await pushRecords(scene.store, {
        tickets: [ticket('T-1'), ticket('T-2', { our_note: 'wet' }), ticket('T-3'), ticket('T-4')],
      });
      const withdraw = () => setPassedFields(scene.store, ERP, { add: [], remove: [field] });
      after(request, withdraw, ({ records }) => (records.some((record) => 'our_note' in record) ? 422 : 200));
      await scene.run();
      expect([await asideOf(scene), scene.customer.holds('tickets').size]).toEqual([[], 4]);
    },
  );

  test('an account of which only one record at a time is taken is compared with itself, where no other is confirmed', async () => {
    scene = await openSharedScene(1);
    await scene.pushTickets({ 'T-8': ['1003'] });
    await scene.pushTickets({ 'T-9': ['1003'] });
    scene.customer.script = refusing('T-8');
    await scene.grant('1003');
    await scene.run();
    expect([await asideOf(scene), scene.customer.holds('tickets').has('42-T-9')]).toEqual([['42-T-8'], true]);
  });

  test('an account of one record is not set aside for one refusal, though another account was confirmed', async () => {
    await scene.pushTickets({ 'T-8': ['1003'], 'T-9': ['1004'] });
    await scene.run();
    await scene.grantAll(['1003', '1004']);
    let left = 2; // with the other one, and alone
    scene.customer.script = (page) => (refusing('T-9')(page) !== 200 && left-- > 0 ? 409 : 200);
    await scene.run();
    expect(await asideOf(scene)).toEqual([]);
    expect(scene.customer.holds('tickets').has('42-T-9')).toBe(true);
  });
});
