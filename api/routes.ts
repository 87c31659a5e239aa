import { listDeliveries } from './deliveries/list-deliveries';
import { PATHS } from './farmer/paths';
import { showAccounts, submitAccounts } from './farmer/steps/accounts-step';
import { showCancelled } from './farmer/steps/cancel-step';
import { showCheck, submitCheck } from './farmer/steps/check-step';
import { showCode, submitCode } from './farmer/steps/code-step';
import { showDone } from './farmer/steps/done-step';
import { openLink } from './farmer/steps/open-link';
import { showPhone, submitPhone } from './farmer/steps/phone-step';
import { downloadReceipt } from './farmer/steps/receipt-step';
import { livez } from './health/livez';
import { readyz } from './health/readyz';
import { listMarkers } from './markers/list-markers';
import { resetMarker } from './markers/reset-marker';
import { pushRecords } from './push/push-records';
import type { Route } from './route';
import { listSubscriptions } from './subscriptions/list-subscriptions';

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
  { method: 'GET', path: `${CHANNEL}/subscriptions`, caller: 'channel', handle: listSubscriptions },
  { method: 'GET', path: PATHS.link, caller: 'visitor', handle: openLink },
  { method: 'GET', path: PATHS.phone, caller: 'farmer', handle: showPhone },
  { method: 'POST', path: PATHS.phone, caller: 'farmer', handle: submitPhone },
  { method: 'GET', path: PATHS.code, caller: 'farmer', handle: showCode },
  { method: 'POST', path: PATHS.code, caller: 'farmer', handle: submitCode },
  { method: 'GET', path: PATHS.accounts, caller: 'farmer', handle: showAccounts },
  { method: 'POST', path: PATHS.accounts, caller: 'farmer', handle: submitAccounts },
  { method: 'GET', path: PATHS.check, caller: 'farmer', handle: showCheck },
  { method: 'POST', path: PATHS.check, caller: 'farmer', handle: submitCheck },
  { method: 'GET', path: PATHS.done, caller: 'farmer', handle: showDone },
  { method: 'POST', path: PATHS.done, caller: 'farmer', handle: showDone },
  { method: 'GET', path: PATHS.cancelled, caller: 'farmer', handle: showCancelled },
  { method: 'POST', path: PATHS.cancelled, caller: 'farmer', handle: showCancelled },
  { method: 'GET', path: PATHS.receipt, caller: 'farmer', handle: downloadReceipt },
  { method: 'GET', path: '/livez', caller: 'anyone', handle: livez },
  { method: 'GET', path: '/readyz', caller: 'anyone', handle: readyz },
];
