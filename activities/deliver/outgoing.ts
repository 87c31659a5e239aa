import type { Origin } from '../../customer/send-page';
import type { Channel } from '../../store/channels/channels';
import type { Selection } from '../../store/window/selection';

/** A page in flight, and what it was made with. */
export interface Outgoing {
  channel: Channel;
  selection: Selection;
  body: Buffer;
  origin: Origin;
}
