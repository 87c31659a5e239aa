import type { Channel } from '../store/channels/channels';
import { noteNewAddress } from '../store/alerts/customer-notices';
import { setChannel } from '../store/channels/set-channel';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** Where a customer is told what happens to its channel; a first notice goes there. @param url checked; empty: nowhere */
export async function setNotifyUrl(
  { store }: Pick<Parts, 'store'>,
  { _id: slug, notify_url = '' }: Channel,
  url: string,
  asker: Asker,
): Promise<Result | undefined> {
  const action = {
    action: 'channel set',
    channel: slug,
    about: 'notify_url',
    before: { notify_url },
  } as const;
  return recordAction({ store }, asker, action, async () => {
    await setChannel(store, slug, { notify_url: url });
    await noteNewAddress(store, { _id: slug, notify_url }, url);
    const outcome = url ? 'The first notification comes within some minutes.' : 'Notifications are off.';
    return { outcome, signalled: true };
  });
}
