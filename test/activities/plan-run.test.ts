import { listAlerts, raiseAlert } from '../../store/feed/alerts';
import { type Channel, findChannel, pauseChannel } from '../../store/feed/channels';
import { markerId, noteUnconfirmed, readMarkers } from '../../store/feed/markers';
import { releaseSetAside, setAside } from '../../store/feed/set-aside';
import { askForPage, readWaitingPage } from '../../store/feed/waiting-pages';
import { type Scene, SLUG, withScene } from '../commit-order/scene';
import { pushRecords } from '../setup/push-records';
import { asActivity } from '../setup/as-activity';
import { MAX_CATCH_UPS } from '../../activities/deliver/deliver-catch-ups';
import { createPlanRun } from '../../activities/plan-run';
import type { Trigger } from '../../domain/delivery';
import type { EntityType } from '../../domain/entity-types';

const marker = async ({ store }: Scene) => (await readMarkers(store, SLUG)).get('tickets')!;
const plan = ({ store }: Scene, trigger: Trigger = 'schedule') =>
  asActivity('test', createPlanRun({ store }), { slug: SLUG, trigger });
const change = ({ store }: Scene, changed: Partial<Channel>) =>
  store.db.collection<Channel>('channels').updateOne({ _id: SLUG }, { $set: changed });

test('where nothing lies above the marker, the plan leaves it alone: no attempt is fenced out for nothing', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await scene.run();
    const before = await marker(scene);
    expect(await plan(scene)).toMatchObject({ state: 'active', windows: [] });
    expect(await marker(scene)).toEqual(before);
  }));

test('one record above the marker is planned', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await scene.run();
    await scene.push('T1');
    expect(await plan(scene)).toMatchObject({ windows: [{ from: 1, to: 2, records: 1 }] });
  }));

test('a customer that asked for time is not planned before that is over, but by deliver now', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await scene.plan();
    const until = (ms: number) => ({ notBefore: new Date(Date.now() + ms), unanswered: false });
    const { _id } = await marker(scene);
    await noteUnconfirmed(scene.store, _id, until(60_000));
    expect(await plan(scene)).toMatchObject({ windows: [], held: [{ entity_type: 'tickets' }] });
    expect(await plan(scene, 'deliver-now')).toMatchObject({ windows: [{ records: 1 }], held: [] });
    await noteUnconfirmed(scene.store, _id, until(-1));
    expect(await plan(scene)).toMatchObject({ windows: [{ records: 1 }], held: [] });
  }));

test('a paused channel is planned nothing, and its marker stays where it is', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await pauseChannel(scene.store, SLUG, 'asked');
    expect(await plan(scene)).toMatchObject({ state: 'paused', reason: 'asked' });
    expect(await marker(scene)).toMatchObject({ position: 0, epoch: 0 });
  }));

test('only a run with something to send takes a number', () =>
  withScene(10, async (scene) => {
    await plan(scene);
    expect((await findChannel(scene.store, SLUG))!.run).toBe(0);
    await scene.push('T1');
    expect(await plan(scene)).toMatchObject({ run: 1 });
  }));

test('what is set aside is planned once it is released, and not before', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    await scene.run();
    await setAside(scene.store, {
      ...{ channel: SLUG, entity_type: 'tickets', record: '42-T1', position: 1 },
      ...{ failure: 'refused', status: 422, answer: '', delivery: 'test' },
    });
    expect(await plan(scene)).toMatchObject({ windows: [] });
    await releaseSetAside(scene.store, SLUG, {});
    expect(await plan(scene)).toMatchObject({ windows: [{ catch_up: true, records: 1 }] });
  }));

test('a plan that finds nothing makes a channel fresh when it is of all entity types', () =>
  withScene(10, async ({ store }) => {
    const channels = store.db.collection<Channel>('channels');
    await channels.updateOne({ _id: SLUG }, { $set: { entity_types: ['accounts', 'tickets'] } });
    const freshAfter = async (entity_types?: EntityType[]) => {
      const input = { slug: SLUG, trigger: 'schedule', ...(entity_types && { entity_types }) } as const;
      await asActivity('test', createPlanRun({ store }), input);
      return (await findChannel(store, SLUG))!.fresh_at;
    };
    expect(await freshAfter(['accounts'])).toBeUndefined();
    expect(await freshAfter()).toBeInstanceOf(Date);
  }));

test('what a customer has asked for of one type holds back no other, and the alert of that type stays', () =>
  withScene(10, async (scene) => {
    const { store } = scene;
    await change(scene, { entity_types: ['accounts', 'tickets'] });
    await pushRecords(store, { accounts: [{ id: '1001', name: 'Meyer Farms' }] });
    await scene.push('T1');
    await plan(scene);
    const alert = { class: 'throttled', subject: 'tickets', message: 'answered 429' } as const;
    await raiseAlert(store, { channel: SLUG, ...alert }, new Date());
    const notBefore = new Date(Date.now() + 60_000);
    await noteUnconfirmed(store, markerId(SLUG, 'tickets'), { notBefore, unanswered: false });
    expect(await plan(scene)).toMatchObject({
      windows: [{ entity_type: 'accounts' }],
      held: [{ entity_type: 'tickets' }],
    });
    expect(await listAlerts(store)).toMatchObject([{ class: 'throttled', subjects: ['tickets'] }]);
  }));

test('where as many newly shared accounts wait as one delivery takes, the others follow at once', () =>
  withScene(10, async (scene) => {
    await plan(scene);
    const markers = scene.store.db.collection<{ _id: string }>('markers');
    const one = {
      channel: SLUG,
      entity_type: 'tickets',
      position: 0,
      until: 1,
      total: 1,
      generation: 1,
      epoch: 1,
    };
    const begun = Array.from({ length: MAX_CATCH_UPS }, (_, index) => ({
      _id: `${markerId(SLUG, 'tickets')}/42-${index}`,
      account: `42-${index}`,
      ...one,
    }));
    await markers.insertMany(begun.slice(1));
    expect(await plan(scene)).toMatchObject({ windows: [{ records: MAX_CATCH_UPS - 1, more: false }] });
    await markers.insertOne(begun[0]!);
    expect(await plan(scene)).toMatchObject({ windows: [{ records: MAX_CATCH_UPS, more: true }] });
  }));

test('a question for a type that is being delivered is not answered by a plan of another', () =>
  withScene(10, async (scene) => {
    const { store } = scene;
    await change(scene, { entity_types: ['accounts', 'tickets'], delivery: 'pull' });
    await scene.push('T1');
    await askForPage(store, (await findChannel(store, SLUG))!, 'tickets');
    const others: EntityType[] = ['accounts'];
    const input = { slug: SLUG, trigger: 'pull', entity_types: others } as const;
    await asActivity('test', createPlanRun({ store }), input);
    const asked = await readWaitingPage(store, SLUG, 'tickets');
    expect(asked).toMatchObject({ asks: 1 });
    expect(asked).not.toHaveProperty('nothing');
  }));
