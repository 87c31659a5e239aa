import type { Origin } from '../../customer/send-page';
import type { Channel } from '../../store/feed/channels';
import type { Selection } from '../../store/feed/selection';

/** A page on its way out, and what it was made with. */
export interface Outgoing {
  channel: Channel;
  selection: Selection;
  body: Buffer;
  origin: Origin;
}
