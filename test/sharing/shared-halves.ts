import { formatInstant } from '../../domain/time/instants';
import { listCatchUps } from '../../store/markers/catch-ups';
import type { Store } from '../../store/store';
import { findChannel } from '../../store/channels/channels';
import { records } from '../../store/records/records';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { eachHalf, expectAllowed, type Rule, watchHalf } from '../commit-order/both-halves';
import { SLUG } from '../setup/stand';
import { accountId, openSharedScene } from './open-shared-scene';

/** A shared scene whose hands may each have a store of their own: with a halt in it, or without a rule. */
async function openSharedHalves(pageSize: number) {
  const scene = await openSharedScene(pageSize);
  const { store, customer } = scene;
  return {
    ...scene,
    grant: (account: string, through?: Store) => scene.grant(account, undefined, through),
    grantNew: (account: string, through?: Store) => scene.grantNew(account, undefined, through),
    revoke: (account: string, through?: Store) => scene.revoke(account, undefined, through),
    share: (account: string, partner: string) => scene.grant(account, partner),
    /** A reset to where a ticket was last changed. */
    async resetTo(ticket: string, through = store): Promise<void> {
      const { updated_at } = (await records(store, 'tickets').findOne({ _id: accountId(ticket) }))!;
      const channel = (await findChannel(through, SLUG))!;
      await resetChannelMarker(through, channel, 'tickets', updated_at);
    },
    catchUps: async () => (await listCatchUps(store, SLUG, 'tickets')).map(({ account }) => account),
    /** The tickets of an account that no page since has brought as they are now. */
    async missing(account: string, since = 0): Promise<string[]> {
      const given = new Set(
        customer.pages
          .slice(since)
          .flatMap((page) => page.records.map(({ id, updated_at }) => `${id} ${updated_at}`)),
      );
      const all = await records(store, 'tickets')
        .find({ account_ids: accountId(account) })
        .sort({ _id: 1 })
        .toArray();
      return all
        .filter(({ _id, updated_at }) => !given.has(`${_id} ${formatInstant(updated_at)}`))
        .map(({ _id }) => _id.replace(/^42-/, ''));
    },
  };
}

export type SharedHalves = Awaited<ReturnType<typeof openSharedHalves>>;

/**
 * One schedule, played twice: with the rule nothing goes wrong, and without it exactly `wrong`. The models allow the one run and
 * not the other, which breaks the rule that `mutant` leaves out; null where they do not have the rule.
 */
export function sharedHalves(
  title: string,
  schedule: (scene: SharedHalves, rule: Rule) => Promise<string[]>,
  options: { pageSize: number; wrong: string[]; mutant: string | null },
): void {
  eachHalf(title, options.wrong, async (rule, wrong) => {
    const scene = await openSharedHalves(options.pageSize);
    const { found, broken } = await watchHalf(scene, () => schedule(scene, rule));
    expect(found).toEqual(wrong);
    expectAllowed(rule, broken, options.mutant);
  });
}
