import { startNode } from '../setup/processes';
import type { LedgerEntry } from './ledger';
import type { PusherOrders } from './pusher';

/** A pusher as a process of its own. @returns its ledger, when its time is over and its last push is answered */
export async function runPusher(orders: PusherOrders): Promise<LedgerEntry[]> {
  const pusher = startNode(
    ['--import', 'tsx', 'test/torture/pusher.ts', JSON.stringify(orders)],
    process.env,
  );
  const code = await pusher.ended;
  if (code !== 0) throw new Error(`pusher ${orders.name} ended with ${code}: ${pusher.lines.at(-1)}`);
  return pusher.lines.map((line) => JSON.parse(line) as LedgerEntry);
}
