import { patched, setHandler } from '@temporalio/workflow';
import { ENTITY_TYPES, type EntityType } from '../domain/records/entity-types';
import type { ChannelState } from './channel-state';
import { viewChannel, publishChannel } from './channel-view';
import { type DeliverySignal, type Lane, requestRun } from './lane';
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

/** Registers the channel's handlers. Called before the first await: each signal and query finds one. */
export function registerHandlers(channel: ChannelState): void {
  const lanesOf = (types: readonly EntityType[]) =>
    channel.lanes.filter(({ entity_type }) => types.includes(entity_type));
  const request = (run: RunRequest, types: readonly EntityType[] = ENTITY_TYPES, told?: DeliverySignal) => {
    for (const lane of lanesOf(types)) {
      requestRun(lane, run);
      if (told) lane.open?.pendingSignals.add(told);
    }
  };
  setHandler(
    markerResetSignal,
    ({ entity_types, request_id }) => request({ trigger: 'reset', request_id }, entity_types, 'overtaken'),
    { description: 'A marker was moved back: deliver again from there.' },
  );
  setHandler(
    deliverNowSignal,
    ({ entity_types, request_id }) => request({ trigger: 'deliver-now', request_id }, entity_types, 'tryNow'),
    { description: 'An operator asks for a run now.' },
  );
  setHandler(
    pageAskedForSignal,
    ({ entity_types }) => {
      for (const lane of lanesOf(entity_types)) endHold(lane);
      request({ trigger: 'pull' }, entity_types, 'tryNow');
    },
    { description: 'The customer, who collects its pages, asks for the next one or has confirmed one.' },
  );
  setHandler(
    settingsChangedSignal,
    ({ request_id }) => request({ trigger: 'settings', ...(request_id !== undefined && { request_id }) }),
    { description: 'The channel was changed, paused or resumed, or records are to be sent again.' },
  );
  setHandler(
    subscriptionsChangedSignal,
    ({ request_id }) => request({ trigger: 'subscriptions', request_id }),
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

/** The time that a customer asked for while its pages were posted. Where they still are, the plan holds the lane again. */
function endHold(lane: Lane): void {
  // Older histories were held on.
  if (lane.held_until !== undefined && patched('question-ends-hold')) lane.held_until = undefined;
}
