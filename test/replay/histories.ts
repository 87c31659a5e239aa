import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

export const HISTORIES = path.join(checkout, 'test/replay/histories');

/** One recorded history for every workflow and every way it can go. */
export const HISTORY_NAMES = [
  'channelFeed.idle',
  'channelFeed.deliveries',
  'channelFeed.stalled',
  'channelFeed.continued',
  'channelFeed.paused',
  'channelFeed.gone',
  'channelFeed.cancelled',
  'channelFeed.held',
  'channelFeed.overtaken',
  'feedDelivery.delivered',
  'feedDelivery.long',
  'feedDelivery.failed',
  'feedDelivery.retried',
  'feedDelivery.superseded',
  'feedDelivery.resized',
  'feedDelivery.paused',
  'feedDelivery.cancelled',
  'feedDelivery.overtaken',
  'feedDelivery.handed-back',
  'feedDelivery.continued',
  'feedDelivery.catch-up',
  'feedDelivery.infrastructure',
  'reconcileChannels',
  'testEndpoint',
] as const;
export type HistoryName = (typeof HISTORY_NAMES)[number];
