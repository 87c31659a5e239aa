import type { Document } from 'mongodb';
import { isMove, unless } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { grantAccounts } from '../setup/share-accounts';
import { accountId } from './open-shared-scene';
import { isBeginning } from './share-calls';
import { sharedHalves } from './shared-halves';

const IN_A_BATCH = 100;

const isTicketsMarker = ({ args }: Call) => args[0]?.['_id'] === 'acme/tickets';
const isMarkerRead = (call: Call) =>
  call.collection === 'markers' && call.method === 'findOne' && isTicketsMarker(call);

/** Stops before the `nth` call of a kind. */
function stopBefore(kind: (call: Call) => boolean, nth: number) {
  const halt = stopHere();
  let calls = 0;
  const around = async (call: Call) => {
    if (kind(call) && ++calls === nth) await halt.here();
    return call.run();
  };
  return { ...halt, around };
}

sharedHalves(
  'commit-order, catch-up: each batch takes an epoch of its own, or an attempt between two passes over the second',
  async (scene, rule) => {
    await scene.grant('1002');
    await scene.pushTickets({ 'T-0': ['1002'] });
    await scene.worker().run();
    await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1002'] });
    const moving = stopBefore(isMove, 2);
    const old = scene.worker(rewire(scene.store, moving.around), 'old');
    const [input] = await old.plan();
    const who = { channel: 'acme', partner_id: 'policy-1', farmer: 'dale' };
    const others = Array.from({ length: IN_A_BATCH }, (_, index) => accountId(String(2_000 + index)));
    const grantOthers = async (accounts: string[]) =>
      grantAccounts(
        scene.store,
        await scene.channel(),
        accounts.map((account) => ({ ...who, account })),
      );
    await grantOthers(others.slice(0, IN_A_BATCH / 2));
    await scene.grant('1001'); // of the second batch: neither of the newest nor of the oldest
    await grantOthers(others.slice(IN_A_BATCH / 2));

    let begun = 0;
    const sharing = unless(rule, scene.store, (call) => {
      const [filter, , ...rest] = call.args as [Document, Document];
      const isLater = isBeginning(call) && isTicketsMarker(call) && ++begun > 1;
      return isLater ? call.run([filter, { $inc: { epoch: 0 } }, ...rest]) : call.run();
    });
    const between = stopBefore(isMarkerRead, 2);
    const planned = scene.worker(rewire(sharing, between.around), 'planner').plan();
    await between.reached; // 1001 is still to begin
    const attempt = old.deliver(input!);
    await moving.reached; // T-1 and T-3 are confirmed, the marker is at T-1
    between.goOn();
    await planned;
    moving.goOn();
    await attempt;
    await scene.worker().run();
    return scene.missing('1001');
  },
  { pageSize: 1, wrong: ['T-2'] },
);
