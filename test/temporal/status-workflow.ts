import { condition, defineQuery, setHandler } from '@temporalio/workflow';
import type { LaneView } from '../../domain/deliveries/lane';

/** Answers the query `status` like a channel's workflow, with the given lanes. */
export async function channelFeed(lanes: LaneView[]): Promise<void> {
  const answer = { state: 'waiting', next_due: null, open_deliveries: [], last_deliveries: {} } as const;
  setHandler(defineQuery<object>('status'), () => ({ ...answer, lanes }));
  await condition(() => false);
}
