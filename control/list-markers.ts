import { Type } from '@sinclair/typebox';
import { atLeast } from '../domain/records/count';
import { listChannelMarkers, type MarkerView } from '../store/markers/list-channel-markers';
import { aCount, anInstant, maybe } from './answers';
import { entityType } from './fields';
import { channelList } from './list';

/** How far the customer has confirmed, and what is pending (docs/contract.md C17). */
export const markersList = channelList<MarkerView>()({
  filters: {},
  members: {
    entity_type: { told: entityType() },
    timestamp: {
      told: maybe('When the last record that you confirmed was changed; null before the first.', 'date-time'),
    },
    pending_records: { told: aCount('Records still to be sent, counted now, for at most 2 seconds.') },
    pending_at_least: {
      told: Type.Optional(
        Type.Boolean({
          description: 'true: there are more than `pending_records`, and counting was cut off.',
        }),
      ),
    },
    delivered_at: { told: maybe('When you last confirmed a page.', 'date-time') },
    last_reset: {
      told: Type.Union([
        Type.Object({ timestamp: anInstant('The time asked for.'), at: anInstant('When it was asked.') }),
        Type.Null(),
      ]),
    },
  },
  find: listChannelMarkers,
  api: {
    id: 'listMarkers',
    tag: 'markers',
    path: '/markers',
    summary: 'How far you have confirmed',
    schema: 'Markers',
    says: 'One marker for each entity type of the channel.',
    sample: {
      entity_type: 'tickets',
      timestamp: '2026-11-21T07:58:12.004Z',
      pending_records: 40,
      delivered_at: '2026-11-21T08:13:00.310Z',
      last_reset: null,
    },
  },
  gdx: {
    says: 'how far a customer has confirmed each entity type',
    columns: {
      entity_type: true,
      confirmed_up_to: ({ timestamp }) => timestamp,
      not_confirmed: ({ pending_records, pending_at_least }) =>
        pending_at_least ? atLeast(`${pending_records}`, true) : pending_records,
      last_confirmed: ({ delivered_at }) => delivered_at,
      reset_to: ({ last_reset }) => last_reset?.timestamp,
      reset_at: ({ last_reset }) => last_reset?.at,
    },
  },
});
