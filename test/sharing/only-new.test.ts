import { findChannel } from '../../store/channels/channels';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { subscriptions } from '../../store/consent/subscriptions';
import { chooseRecords } from '../../store/window/choose-records';
import { readDigestBase } from '../../store/digest/digest-base';
import { digestRecords } from '../../store/digest/digest-records';
import { unless } from '../commit-order/both-halves';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { inserting, isCounterRead, isLiningUp, stopAt } from './share-calls';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { sharedHalves } from './shared-halves';

describe('a grant of only what is new', () => {
  let scene: SharedScene;
  beforeEach(async () => {
    scene = await openSharedScene();
  });

  const channel = async () => (await findChannel(scene.store, 'acme'))!;
  const held = () =>
    scene.store.client.withSession(async (session) => {
      const base = (await readDigestBase(scene.store, 'acme', 'tickets', session))!;
      const ids: string[] = [];
      for await (const batch of digestRecords(scene.store, 'tickets', base, { session }))
        for (const { id, pending } of batch) if (!pending) ids.push(id);
      return ids;
    });

  it('sends nothing of before it, wherever the marker stood, and all that is stored or changes later', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'] });
    await scene.run();
    await scene.pushTickets({ 'T-3': ['1001'] }); // not passed when it is granted
    await scene.grantNew('1001');
    await scene.run();
    expect(scene.posted()).toEqual([]);
    await scene.pushTickets({ 'T-4': ['1001'] });
    await scene.pushTickets({ 'T-2': ['1001'] }, 'changed');
    await scene.run();
    expect(scene.posted()).toEqual(['T-4', 'T-2']);
  });

  it('nor does a reset or a resend, and the digest counts nothing of it', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.grantNew('1001');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await scene.run();
    await scene.reset();
    const pending = (await listChannelMarkers(scene.store, await channel())).map(
      (one) => one.pending_records,
    );
    expect(pending).toEqual([0, 1]);
    await scene.run();
    expect(scene.posted()).toEqual(['T-2', 'T-2']);
    for (const choice of [{ account: accountId('1001') }, { ids: [accountId('T-1'), accountId('T-2')] }])
      expect((await chooseRecords(scene.store, await channel(), 'tickets', choice)).records).toMatchObject([
        { id: accountId('T-2') },
      ]);
    expect(await held()).toEqual([accountId('T-2')]);
  });

  it('is of that account alone: what was split with one that is shared whole comes without it', async () => {
    await scene.pushTickets({ 'T-1': ['1001', '1002'], 'T-2': ['1001'] });
    await scene.grantNew('1001');
    await scene.grant('1002');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
    const named = () => JSON.stringify(scene.customer.pages.at(-1)!.records).match(/42-100\d/g);
    expect(new Set(named())).toEqual(new Set(['42-1002']));
    await scene.pushTickets({ 'T-1': ['1001', '1002'] }, 'changed');
    await scene.run();
    expect(new Set(named())).toEqual(new Set(['42-1001', '42-1002']));
  });

  it('with another of the same account it is as much as both: the earlier records come, until that one is revoked', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.grantNew('1001');
    await scene.grant('1001', 'policy-2');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
    await scene.revoke('1001', 'policy-2');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await scene.reset();
    await scene.run();
    expect(scene.posted(1)).toEqual(['T-2']);
  });

  it('becomes one with the earlier records, which are caught up with then; it does not become less', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.grantNew('1001');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await scene.run();
    expect(await scene.grant('1001')).toBe(1);
    await scene.run();
    expect(scene.posted(1)).toEqual(['T-1', 'T-2']);
    expect(await held()).toEqual([accountId('T-1'), accountId('T-2')]);
    expect(await scene.grantNew('1001')).toBe(0);
    expect(await subscriptions(scene.store).findOne({})).toMatchObject({ from: null, to_begin: [] });
  });

  it('leaves what another partner_id shares with the earlier records, of which not all is delivered yet', async () => {
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1003'] });
    await scene.run();
    await scene.grant('1001', 'policy-1');
    await scene.plan(); // begins the catch-up
    await scene.grantNew('1001', 'policy-2');
    await scene.grant('1002', 'policy-1');
    await scene.grantNew('1002', 'policy-2'); // no plan has seen either
    await scene.grantNew('1003', 'policy-1');
    await scene.grant('1003', 'policy-2');
    await scene.run();
    expect(scene.posted().sort()).toEqual(['T-1', 'T-2', 'T-3']);
  });

  it('begins again where it is granted again', async () => {
    await scene.grantNew('1001');
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.revoke('1001');
    await scene.grantNew('1001');
    await scene.pushTickets({ 'T-2': ['1001'] });
    await scene.run();
    expect(scene.posted()).toEqual(['T-2']);
  });
});

describe('interleavings', () => {
  sharedHalves(
    'commit-order, only what is new: a plan catches up with what the marker has passed since the grant read the counter',
    async (scene, rule) => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      const counted = stopHere();
      const granting = scene.grantNew('1001', rewire(scene.store, stopAt(isCounterRead, counted)));
      await counted.reached;
      await scene.pushTickets({ 'T-2': ['1001'] });
      const passedOver = stopHere();
      const beforeNoting = rewire(scene.store, async (call) => {
        if (call.collection === 'channels' && call.method === 'updateOne') await passedOver.here();
        return call.run();
      });
      const run = scene.worker(beforeNoting).run(); // passes over both, as the grant is not committed
      await passedOver.reached;
      counted.goOn();
      await granting;
      passedOver.goOn();
      await run;
      const plan = unless(rule, scene.store, (call) =>
        isLiningUp(call) ? inserting(call, (one) => ({ ...one, position: one['until'] })) : call.run(),
      );
      await scene.worker(plan, 'planner').plan();
      await scene.worker().run();
      expect(scene.customer.pages.flatMap(({ records }) => records.map(({ id }) => id))).not.toContain(
        '42-T-1',
      );
      return (await scene.missing('1001')).filter((id) => id !== 'T-1');
    },
    { pageSize: 10, wrong: ['T-2'], mutant: 'NO_CATCH_UP' },
  );
});
