import { setHandler } from '@temporalio/workflow';
import type { ChannelState } from './channel-state';
import { viewChannel, publishChannel } from './channel-view';
import { type Lane, requestRun } from './lane';
import {
  deliverNowSignal,
  deliveryStalledSignal,
  markerResetSignal,
  pageAskedForSignal,
  settingsChangedSignal,
  statusQuery,
  subscriptionsChangedSignal,
  type RunRequest,
} from './messages';

/** Registers the channel's handlers. Called before the first await, or early signals would be lost. */
export function registerHandlers(channel: ChannelState): void {
  const request = (lanes: Lane[], run: RunRequest) => lanes.forEach((lane) => requestRun(lane, run));
  setHandler(
    markerResetSignal,
    ({ entity_types, request_id }) => {
      const lanes = channel.lanes.filter(({ entity_type }) => entity_types.includes(entity_type));
      request(lanes, { trigger: 'reset', request_id });
      for (const { open } of lanes) open?.pendingSignals.add('overtaken');
    },
    { description: 'A marker was moved back: deliver again from there.' },
  );
  setHandler(
    deliverNowSignal,
    ({ entity_types, request_id }) => {
      const lanes = channel.lanes.filter(({ entity_type }) => entity_types?.includes(entity_type) ?? true);
      request(lanes, { trigger: 'deliver-now', request_id });
      for (const { open } of lanes) open?.pendingSignals.add('tryNow');
    },
    { description: 'An operator asks for a run now.' },
  );
  setHandler(
    pageAskedForSignal,
    ({ entity_types }) => {
      const lanes = channel.lanes.filter(({ entity_type }) => entity_types.includes(entity_type));
      request(lanes, { trigger: 'pull' });
      for (const { open } of lanes) open?.pendingSignals.add('tryNow');
    },
    { description: 'The customer, who collects its pages, asks for the next one or has confirmed one.' },
  );
  setHandler(
    settingsChangedSignal,
    ({ request_id }) =>
      request(channel.lanes, { trigger: 'settings', ...(request_id !== undefined && { request_id }) }),
    { description: 'The channel was changed, paused or resumed, or records are to be sent again.' },
  );
  setHandler(
    subscriptionsChangedSignal,
    ({ request_id }) => request(channel.lanes, { trigger: 'subscriptions', request_id }),
    { description: 'A farmer shared an account or stopped sharing it.' },
  );
  setHandler(
    deliveryStalledSignal,
    ({ delivery, reason, until }) => {
      const open = channel.lanes.find((lane) => lane.open?.id === delivery)?.open;
      if (!open) return;
      open.stalled = reason ?? undefined;
      open.until = until;
      publishChannel(channel);
    },
    { description: 'The customer did not confirm a page of a delivery, or confirms again.' },
  );
  setHandler(statusQuery, () => viewChannel(channel), { description: 'What the channel is doing.' });
}
