import { nextPage } from '../../api/customer/next-page';
import { createByteBudget } from '../../api/limits/byte-budget';
import type { Channel } from '../../store/channels/channels';
import { askForPage } from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { openSharedScene, type SharedScene } from '../sharing/open-shared-scene';
import { connectStoreAt } from '../setup/open-store-at';
import { databaseUri } from '../bench/open-bench-store';
import { startStrictWire, type StrictWire } from './strict-wire';

// A worker or an API is cut off with a primary that was deposed and does not know it, as everybody else has elected another.

const DEPOSED_MS = 700;

let scene: SharedScene;
let wire: StrictWire;
let cutOff: Store;

beforeEach(async () => {
  scene = await openSharedScene();
  wire = await startStrictWire({ upstream: new URL(process.env['MONGODB_URI']!).host });
  cutOff = await connectStoreAt(databaseUri(wire.uri, scene.store.db.databaseName));
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
  await scene.grantAll(['1001', '1002']);
});

/** The records of the page are read, and the channel is asked for, or proof that there is a primary. */
const isClaim = ({ collection, method }: Call) =>
  method === 'command' || (collection === 'channels' && method === 'findOne');

test('a page that is about to leave names nobody whose revoke the other primary has answered', async () => {
  const claim = stopHere();
  let isRead = false;
  const held = rewire(cutOff, async (call) => {
    isRead ||= call.collection === 'tickets' && 'wire' in (call.args[1]?.['projection'] ?? {});
    if (isRead && isClaim(call)) await claim.here();
    return call.run();
  });
  const [input] = await scene.plan();
  const delivered = scene.attempt(input!, held);
  await claim.reached;
  const over = wire.deposed(DEPOSED_MS);
  await scene.revoke('1001');
  claim.goOn();
  await Promise.all([delivered, over]);
  expect(scene.posted()).toEqual(['T-2']);
});

test('a page that waits is not given out once the other primary has answered a revoke', async () => {
  const { store } = scene;
  const channels = store.db.collection<Channel>('channels');
  await channels.updateOne({ _id: 'acme' }, { $set: { delivery: 'pull' } });
  await askForPage(store, 'acme', 'tickets');
  await scene.run();
  const lease = createByteBudget(Infinity).lease('acme');
  const question = { channel: 'acme', entityType: 'tickets', requestId: 'test', lease } as const;
  const { temporal } = hearingSignals(false);
  const asking = stopHere();
  const held = rewire(cutOff, async (call) => {
    const answer = await call.run();
    if ('laid.body' in (call.args[1]?.['projection'] ?? {})) await asking.here();
    return answer;
  });
  const given = nextPage({ store: held, temporal }, question).catch(() => 'none');
  await asking.reached;
  const over = wire.deposed(DEPOSED_MS);
  await scene.revoke('1001');
  asking.goOn();
  await over;
  expect(await given).toBe('none');
});
