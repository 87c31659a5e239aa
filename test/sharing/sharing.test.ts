import { findChannel } from '../../store/feed/channels';
import { listChannelMarkers } from '../../store/feed/list-channel-markers';
import { resetChannelMarker } from '../../store/feed/reset-channel-marker';
import { isReset } from '../commit-order/both-halves';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { grantAccounts } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});
afterEach(() => scene.close());

describe('a channel of scope subscribed', () => {
  it('gets nothing before a farmer shares, and its marker moves on', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
    await scene.run();
    expect(scene.customer.pages).toHaveLength(0);
    expect(await scene.position()).toBe(2);
  });

  it('gets the earlier and the later records of a granted account, and nothing of another', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1001'], 'T-4': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-3', 'T-4']);
    await scene.pushTickets({ 'T-5': ['1001'], 'T-6': ['1002'] });
    await scene.run();
    expect(scene.posted(2)).toEqual(['T-5']);
  });

  it('counts the pages of a catch-up by themselves', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run(1);
    await scene.run();
    const metas = scene.customer.pages.map(({ meta }) => [
      meta.current_page,
      meta.page_count,
      meta.total_count,
    ]);
    expect(metas).toEqual([
      [1, 2, 3],
      [2, 1, 3],
    ]);
  });

  it('goes on with page numbers within their total when the page size has grown since', async () => {
    await scene.pushTickets(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`T-${n}`, ['1001']])));
    await scene.run();
    await scene.grant('1001');
    await scene.run(2);
    await scene.store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'acme' }, { $set: { page_size: 4 } });
    await scene.run();
    expect(scene.customer.pages.map(({ meta }) => `${meta.current_page} of ${meta.total_pages}`)).toEqual([
      '1 of 3',
      '2 of 3',
      '2 of 2',
    ]);
  });

  it('gets a split ticket when any of its accounts is shared', async () => {
    await scene.grant('1002');
    await scene.pushTickets({ 'T-1': ['1001', '1002'], 'T-2': ['1001', '1003'] });
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
  });

  it('keeps an account that another partner_id still shares', async () => {
    await scene.grant('1001', 'policy-1');
    await scene.grant('1001', 'policy-2');
    await scene.revoke('1001', 'policy-1');
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
    await scene.revoke('1001', 'policy-2');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await scene.run();
    expect(scene.posted(1)).toEqual([]);
  });

  it('drops what is revoked between the reading of a page and its POST, and goes on with the rest', async () => {
    await scene.grant('1001');
    await scene.grant('1002');
    await scene.run();
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1002'] });
    scene.customer.script = async () => {
      await scene.revoke('1001');
      return 200;
    };
    await scene.run();
    // The first page had begun when the revoke was answered; the next ones hold nothing of the account.
    expect(scene.posted()).toEqual(['T-1', 'T-2', 'T-4']);
  });

  it('ends a catch-up at once when the account is revoked', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run(1);
    await scene.revoke('1001');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-2']);
  });

  it('ends it, too, where another customer still gets the account', async () => {
    const { store, customer } = scene;
    await addTestChannel(store, 'bank', customer.baseUrl, { scope: 'subscribed' });
    const key = { channel: 'bank', partner_id: 'loan-1', farmer: 'meyer', account: accountId('1001') };
    await grantAccounts(store, (await findChannel(store, 'bank'))!, [key]);
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run(1);
    await scene.revoke('1001');
    const ofAcme = { channel: 'acme', account: accountId('1001') };
    expect(await store.db.collection('markers').countDocuments(ofAcme)).toBe(0);
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-2']);
  });

  it('neither loses nor doubles what a reset and a running catch-up both cover', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run(1);
    await scene.reset();
    const before = scene.customer.pages.length;
    await scene.run();
    expect(scene.posted(before)).toEqual(['T-1', 'T-2', 'T-3', 'T-4']);
  });

  it('sends what a catch-up has left although a reset died before it had moved the marker', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run(1);
    const dies = rewire(scene.store, (call) => {
      if (isReset(call)) throw new Error('the process died');
      return call.run();
    });
    const reset = resetChannelMarker(dies, await scene.channel(), 'tickets', new Date(0));
    await expect(reset).rejects.toThrow('died');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-2', 'T-3']);
  });

  it('counts what a crash of the plan left uncounted, and drops what holds nothing', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.run();
    await scene.grant('1001');
    const died = rewire(scene.store, ({ collection, method, run }) => {
      if (collection === 'tickets' && method === 'countDocuments') throw new Error('the process died');
      return run();
    });
    await expect(scene.run(Infinity, died)).rejects.toThrow('died');
    const markers = scene.store.db.collection('markers');
    expect(await markers.countDocuments({ account: { $exists: true }, total: null })).toBe(1);
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
    expect(await markers.countDocuments({ account: { $exists: true } })).toBe(0);
  });

  it('counts what is pending: its own windows and the catch-ups that were begun', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
    await scene.run();
    await scene.grant('1001');
    await scene.plan();
    await scene.pushTickets({ 'T-3': ['1001'], 'T-4': ['1002'] });
    const pending = async () =>
      (await listChannelMarkers(scene.store, await scene.channel())).map((marker) => marker.pending_records);
    expect(await pending()).toEqual([0, 2]);
    await scene.run();
    expect(await pending()).toEqual([0, 0]);
  });

  it('serves more accounts than fit into a query', async () => {
    const accounts = Array.from({ length: 130 }, (_, index) => `${2000 + index}`);
    await scene.grantAll(accounts);
    await scene.pushTickets({ 'T-1': ['2000'], 'T-2': ['9999'], 'T-3': ['2129'], 'T-4': ['2001'] });
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-3', 'T-4']);
    expect(scene.customer.pages.map(({ meta }) => meta.total_count)).toEqual([3, 3]);
  });
});
