import { listDeliveries } from './deliveries/list-deliveries';
import { livez } from './health/livez';
import { readyz } from './health/readyz';
import { listMarkers } from './markers/list-markers';
import { resetMarker } from './markers/reset-marker';
import { pushRecords } from './push/push-records';
import type { Route } from './route';

// Of a gzip body, the unpacked size counts (contract 1).
const MAX_BODY = 16 * 1024 * 1024;

const CHANNEL = '/api/v1/channels/:channel_slug';

/** Everything that may be asked of the service, and by whom. */
export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/push',
    caller: 'integration',
    maxBodyBytes: MAX_BODY,
    handle: pushRecords,
  },
  {
    method: 'POST',
    path: `${CHANNEL}/markers/:entity_type/reset`,
    caller: 'channel',
    maxBodyBytes: MAX_BODY,
    handle: resetMarker,
  },
  { method: 'GET', path: `${CHANNEL}/markers`, caller: 'channel', handle: listMarkers },
  { method: 'GET', path: `${CHANNEL}/deliveries`, caller: 'channel', handle: listDeliveries },
  { method: 'GET', path: '/livez', caller: 'anyone', handle: livez },
  { method: 'GET', path: '/readyz', caller: 'anyone', handle: readyz },
];
