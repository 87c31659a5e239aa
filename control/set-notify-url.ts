import { checkNotifyUrl } from '../domain/settings/base-url';
import { noteNewAddress } from '../store/alerts/customer-notices';
import { setChannel } from '../store/channels/set-channel';
import { deed, Refused } from './deed';
import { typedField } from './fields';
import { recordAction } from './record-action';

/** Where a customer is told what happens to its channel; a first notice goes there. */
export const setNotifyUrl = deed()({
  name: 'notify',
  recorded: 'channel set',
  input: {
    notify_url: typedField(
      {
        label: 'Address',
        subject: 'The address',
        input: { type: 'url' },
        filled: ({ notify_url = '' }) => notify_url,
      },
      (typed: string) => typed,
    ),
  },
  page: {
    doors: ['channel'],
    title: 'Set the notification address',
    says:
      'We post there, signed like a page, when deliveries fail, pause and recover, and when farmers begin or stop ' +
      'sharing. Empty: nothing is told.',
    done: 'Set the notification address',
  },
  async run({ store, pages }, { _id: slug, notify_url = '' }, { notify_url: typed }, asker) {
    const checked = typed === '' ? { notifyUrl: '' } : checkNotifyUrl(typed, pages!);
    if ('problem' in checked) throw new Refused('notify_url', { says: checked.problem });
    const { notifyUrl: url } = checked;
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
  },
});
