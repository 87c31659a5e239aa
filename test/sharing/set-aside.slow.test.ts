import { listSetAside, releaseSetAside } from '../../store/deliveries/set-aside';
import { rewire } from '../commit-order/rewire';
import { SLUG } from '../setup/stand';
import { stopHere } from '../commit-order/stop-here';
import { accountId, openSharedScene } from './open-shared-scene';

let scene: Awaited<ReturnType<typeof openSharedScene>>;

const confirmedSince = (since = 0) =>
  scene.customer.pages
    .slice(since)
    .filter(({ status }) => status === 200)
    .flatMap(({ records }) => records.map(({ remote_id }) => remote_id));

const refuses = (id: string) => {
  scene.customer.script = ({ records }) => (records.some(({ remote_id }) => remote_id === id) ? 422 : 200);
};

test('what was revoked is in no probe of a search that was under way', async () => {
  scene = await openSharedScene(4);
  for (const account of ['1001', '1002']) await scene.grant(account);
  await scene.run();
  await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1002'], 'T-3': ['1001'], 'T-4': ['1002'] });
  let answered = -1;
  scene.customer.script = async ({ records }) => {
    if (answered < 0) {
      await scene.revoke('1001');
      answered = scene.customer.pages.length;
    }
    return records.some(({ remote_id }) => remote_id === 'T-4') ? 422 : 200;
  };
  await scene.run();
  const posted = scene.customer.pages.slice(answered).flatMap(({ records }) => records);
  expect(posted.length).toBeGreaterThan(2);
  expect(posted.map(({ remote_id }) => remote_id)).not.toContain('T-3');
});

test('a released record that is struck off late leaves the refusal that came after a new grant', async () => {
  scene = await openSharedScene(10);
  const { store, customer, worker } = scene;
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
  await scene.run();
  refuses('T-1');
  await scene.grant('1001');
  await worker().run();
  await releaseSetAside(store, SLUG, {});
  await scene.revoke('1001');
  const halt = stopHere();
  const stopping = rewire(store, async (call) => {
    if (call.collection === 'set_aside' && call.method === 'deleteMany') await halt.here();
    return call.run();
  });
  const late = worker(stopping, 'late').run();
  await halt.reached;
  await scene.grant('1001');
  const since = customer.pages.length;
  await worker().run(); // refused again
  halt.goOn();
  await late;
  const aside = (await listSetAside(store, SLUG)).map(({ record }) => record);
  expect([...aside, ...confirmedSince(since).map(accountId)]).toContain('42-T-1');
});
