import { listDeliveries } from './deliveries/list-deliveries';
import { showDocs, showDocsFile } from './docs/show-docs';
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
import { showDocument } from './openapi/show-document';
import { deliver } from './ops/actions/deliver';
import { pause } from './ops/actions/pause';
import { release } from './ops/actions/release';
import { askReset, reset } from './ops/actions/reset';
import { resume } from './ops/actions/resume';
import { OPS } from './ops/paths';
import { showChannel } from './ops/show-channel';
import { showChannels } from './ops/show-channels';
import { showSignIn, signIn } from './ops/sign-in';
import { signOut } from './ops/sign-out';
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
  {
    method: 'POST',
    path: PATHS.accounts,
    caller: 'farmer',
    maxFormBytes: 1024 * 1024, // ten thousand account ids
    handle: submitAccounts,
  },
  { method: 'GET', path: PATHS.check, caller: 'farmer', handle: showCheck },
  { method: 'POST', path: PATHS.check, caller: 'farmer', handle: submitCheck },
  { method: 'GET', path: PATHS.done, caller: 'farmer', handle: showDone },
  { method: 'POST', path: PATHS.done, caller: 'farmer', handle: showDone },
  { method: 'GET', path: PATHS.cancelled, caller: 'farmer', handle: showCancelled },
  { method: 'POST', path: PATHS.cancelled, caller: 'farmer', handle: showCancelled },
  { method: 'GET', path: PATHS.receipt, caller: 'farmer', handle: downloadReceipt },
  { method: 'GET', path: OPS.signIn, caller: 'signing-in', handle: showSignIn },
  { method: 'POST', path: OPS.signIn, caller: 'signing-in', handle: signIn },
  { method: 'POST', path: OPS.signOut, caller: 'operator', handle: signOut },
  { method: 'GET', path: OPS.channels, caller: 'operator', handle: showChannels },
  { method: 'GET', path: OPS.channel, caller: 'operator', handle: showChannel },
  { method: 'POST', path: OPS.pause, caller: 'operator', handle: pause },
  { method: 'POST', path: OPS.resume, caller: 'operator', handle: resume },
  { method: 'POST', path: OPS.deliver, caller: 'operator', handle: deliver },
  { method: 'GET', path: OPS.reset, caller: 'operator', handle: askReset },
  { method: 'POST', path: OPS.reset, caller: 'operator', handle: reset },
  { method: 'POST', path: OPS.release, caller: 'operator', maxFormBytes: 256 * 1024, handle: release },
  { method: 'GET', path: '/livez', caller: 'anyone', handle: livez },
  { method: 'GET', path: '/readyz', caller: 'anyone', handle: readyz },
  { method: 'GET', path: '/openapi.json', caller: 'anyone', handle: (ctx, deps) => showOpenApi(ctx, deps) },
  { method: 'GET', path: '/docs', caller: 'anyone', handle: showDocs },
  { method: 'GET', path: '/docs/:file', caller: 'anyone', handle: showDocsFile },
];

// Describes the table that it stands in.
const showOpenApi = showDocument(ROUTES);
