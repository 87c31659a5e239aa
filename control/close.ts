import { atLeast, count } from '../domain/records/count';
import { findEvenClosed } from '../store/channels/channels';
import { closeChannel } from '../store/sharing/close-channel';
import { listGranted } from '../store/consent/subscriptions';
import { listChannelMarkers } from '../store/markers/list-channel-markers';
import { dayClosed, deed } from './deed';
import { finishClosing } from './end-grants';
import { recordAction } from './record-action';

/** How many grants of farmers end; before that also of how many accounts, and how many records are then never sent. */
interface Closing {
  grants: number;
  accounts?: number;
  unsent?: { records: number; at_least: boolean };
  /** It was closed before: what is counted is left to end. */
  isClosed?: boolean;
}

/**
 * Ends a customer's channel for good (docs/contract.md C29). Killed at any moment, it is finished by the API within a minute, or
 * by being asked for again.
 */
export const close = deed<Closing>()({
  name: 'close',
  ofClosed: true,
  input: {},
  gdx: {
    words: ['channel', 'close'],
    says: 'end a customer’s channel for good: its grants end, its keys and secrets are forgotten, and its slug is not given out again',
    reason: 'required',
  },
  sends: {
    verb: 'close',
    what: (_, { grants, accounts, unsent, isClosed }) =>
      (isClosed ? 'nothing more, as it is closed' : 'the channel for good') +
      `, with ${count(grants, 'grant')} of farmers` +
      (accounts === undefined ? '' : ` for ${count(accounts, 'account')}`) +
      (unsent && !isClosed
        ? `; ${atLeast(count(unsent.records, 'record'), unsent.at_least)} not confirmed yet`
        : ''),
  },
  page: {
    doors: ['operator'],
    title: 'Close for good',
    says: 'Ends the channel: nothing more is sent, farmers’ grants end, keys and secrets are forgotten. It does not open again. The next page asks.',
    done: 'Closed',
    asks: { open: 'See what would end', title: () => 'End the channel', button: 'Close for good' },
  },
  async preview({ store }, channel) {
    const granted = await listGranted(store, channel._id);
    const markers = channel.state === 'closed' ? [] : await listChannelMarkers(store, channel);
    const unsent = {
      records: markers.reduce((sum, { pending_records }) => sum + pending_records, 0),
      at_least: markers.some(({ pending_at_least }) => pending_at_least === true),
    };
    const accounts = new Set(granted.map(({ account }) => account)).size;
    return { grants: granted.length, accounts, unsent, isClosed: channel.state === 'closed' };
  },
  async run(parts, channel, _, asker) {
    const { _id: slug, state, paused } = channel;
    const before = { state, paused_because: paused?.reason ?? null };
    return recordAction(parts, asker, { action: 'close', channel: slug, before }, async () => {
      const isFirst = await closeChannel(parts.store, slug, asker.reason ?? '');
      const closed = (await findEvenClosed(parts.store, slug))!;
      const grants = await finishClosing(parts, closed, asker.request_id);
      const signalled = await parts.temporal.settingsChanged(slug, 'closed');
      const ended = `${count(grants, 'grant')} of farmers ended.`;
      if (!isFirst)
        return {
          outcome: `It was closed${dayClosed(closed)} already: ${ended}`,
          signalled,
          grants,
          isClosed: true,
        };
      const away = signalled ? '' : ' Temporal does not answer: the end holds all the same.';
      return { outcome: `Nothing more is sent. ${ended}${away}`, signalled, grants };
    });
  },
  answer: (_, { grants, accounts, unsent }) => ({ grants, ...(unsent && { accounts, unsent }) }),
});
