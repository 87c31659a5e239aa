import { resend } from '../control/resend';
import { reset } from '../control/reset';
import { actionRoutes } from './channel/action-routes';
import { deedRoute } from './channel/deed-route';
import { CHANNEL_LISTS, listRoute } from './channel/list-route';
import { CUSTOMER, CUSTOMERS_DOOR } from './customer/customers-door';
import { OPERATORS_DOOR } from './ops/operators-door';
import { MAX_PUSH_MIB } from '../domain/records/validate-push';
import { showChannelPage } from './channel/show-channel-page';
import { showSignIn, signIn, signOut } from './channel/sign-in';
import { getDigest, postDigest } from './customer/digest';
import { confirmFeed, getFeed } from './customer/feed';
import { getElevators } from './customer/get-elevators';
import { downloadProduction, getProduction } from './customer/get-production';
import { getSubscriptions } from './customer/get-subscriptions';
import { postDeletion } from './customer/post-deletion';
import { getCheck } from './erp/get-check';
import { getPush } from './erp/get-push';
import { getRecords } from './erp/get-records';
import { postPush } from './erp/post-push';
import { PATHS, SHARING } from './farmer/paths';
import { showAccounts, submitAccounts } from './farmer/steps/accounts-step';
import { showCheck, submitCheck } from './farmer/steps/check-step';
import { showCode, submitCode } from './farmer/steps/code-step';
import { sendCopy, showCopy, submitCopy } from './farmer/steps/copy-step';
import { showDone } from './farmer/steps/done-step';
import { leave, showCancelled, showSignedOut, signOutFarmer } from './farmer/steps/leave-step';
import { openLink } from './farmer/steps/open-link';
import { showPhone, submitPhone } from './farmer/steps/phone-step';
import { downloadReceipt } from './farmer/steps/receipt-step';
import { openSharing, showSharing, submitSharing } from './farmer/steps/sharing-step';
import { livez, readyz } from './http/health';
import { showSecurityTxt } from './http/show-security-txt';
import {
  CHANNEL,
  type ChannelContext,
  type IntegrationContext,
  type OpenContext,
  type RouteTraits,
} from './http/route';
import type { FarmerContext, FarmerDeps, SessionContext } from './farmer/farmer-state';
import type { PageDeps, SignedInContext, SignInContext } from './channel/signed-in-state';
import { showGuide } from './guide/show-guide';
import { showDocs, showDocsFile, showDocument } from './openapi/show-docs';
import { showDownload } from './openapi/show-download';
import { OPS } from './ops/paths';
import { showChannelsPage } from './ops/show-channels-page';
import { comeFromProvider, goToProvider } from './ops/sign-in-at-provider';

const MAX_SMALL = 64 * 1024;
// One walks over records for up to 0.2 s of CPU: 75 a minute take a quarter of a core.
const DIGEST_WEIGHT = 80;
const MAX_RANGES = 2 * 1024 * 1024; // two thousand of the longest ids

/** The dependencies of all handlers. */
export type ApiDeps = FarmerDeps & PageDeps;

export type Handler<C> = (ctx: C, deps: ApiDeps) => void | Promise<void>;

/** One row of the table. */
export type Route = RouteTraits &
  (
    | { caller: 'anyone'; handle: Handler<OpenContext> }
    | { caller: 'integration'; handle: Handler<IntegrationContext> }
    | { caller: 'channel'; handle: Handler<ChannelContext> }
    // A farmer's browser, first with the link, then with the session that the link opened. Responses are pages.
    | { caller: 'visitor'; handle: Handler<OpenContext> }
    | { caller: 'farmer'; handle: Handler<FarmerContext> }
    // The same with the session of "who sees my grain data".
    | { caller: 'sharer'; handle: Handler<SessionContext> }
    // An operator's browser, first on the sign-in page, then with a session. Responses are pages.
    | { caller: 'signing-in'; handle: Handler<SignInContext> }
    | { caller: 'operator'; handle: Handler<SignedInContext> }
    // A customer's browser, in the same way. The key of a channel opens that channel alone.
    | { caller: 'customer-signing-in'; handle: Handler<SignInContext> }
    | { caller: 'customer'; handle: Handler<SignedInContext> }
  );

/** What the key of a channel opens. */
const channelRoute = (
  method: RouteTraits['method'],
  path: string,
  handle: Handler<ChannelContext>,
  traits: Pick<RouteTraits, 'maxBodyBytes' | 'emptyBody' | 'query' | 'weight'> = {},
): Route => ({ method, path: `${CHANNEL}${path}`, caller: 'channel', handle, ...traits });

/** Every route of the service, with the caller that may use it. */
export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/push',
    caller: 'integration',
    maxBodyBytes: MAX_PUSH_MIB * 1024 * 1024,
    query: ['dry_run'],
    handle: postPush,
  },
  { method: 'GET', path: '/api/v1/pushes/:request_id', caller: 'integration', handle: getPush },
  {
    method: 'GET',
    path: '/api/v1/records/:type',
    caller: 'integration',
    query: ['after', 'limit'],
    handle: getRecords,
  },
  { method: 'GET', path: '/api/v1/check', caller: 'integration', handle: getCheck },
  deedRoute(reset),
  channelRoute('GET', '/feed', getFeed, { query: ['entity_type'] }),
  channelRoute('POST', '/feed/confirm', confirmFeed, { maxBodyBytes: MAX_SMALL }),
  channelRoute('GET', '/digest', getDigest, { query: ['entity_type', 'bucket'], weight: DIGEST_WEIGHT }),
  channelRoute('POST', '/digest', postDigest, { maxBodyBytes: MAX_RANGES, weight: DIGEST_WEIGHT }),
  deedRoute(resend),
  ...CHANNEL_LISTS.map(listRoute),
  channelRoute('GET', '/production', getProduction, { query: ['account', 'crop_year', 'format'] }),
  channelRoute('GET', '/elevators', getElevators, { query: ['limit', 'after'] }),
  channelRoute('GET', '/subscriptions', getSubscriptions, { query: ['partner_id', 'ended'] }),
  channelRoute('POST', '/deletions', postDeletion, { maxBodyBytes: MAX_SMALL }),
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
  { method: 'GET', path: PATHS.leave, caller: 'farmer', handle: leave },
  { method: 'GET', path: PATHS.signOut, caller: 'visitor', handle: showSignedOut },
  { method: 'POST', path: PATHS.signOut, caller: 'visitor', handle: signOutFarmer },
  { method: 'GET', path: PATHS.receipt, caller: 'farmer', handle: downloadReceipt },
  { method: 'GET', path: SHARING.entry, caller: 'visitor', handle: openSharing },
  { method: 'GET', path: SHARING.phone, caller: 'sharer', handle: showPhone },
  { method: 'POST', path: SHARING.phone, caller: 'sharer', handle: submitPhone },
  { method: 'GET', path: SHARING.code, caller: 'sharer', handle: showCode },
  { method: 'POST', path: SHARING.code, caller: 'sharer', handle: submitCode },
  { method: 'GET', path: SHARING.customers, caller: 'sharer', handle: showSharing },
  { method: 'POST', path: SHARING.customers, caller: 'sharer', handle: submitSharing },
  { method: 'GET', path: SHARING.copy, caller: 'sharer', handle: showCopy },
  { method: 'POST', path: SHARING.copy, caller: 'sharer', handle: submitCopy },
  { method: 'GET', path: SHARING.copyToRead, caller: 'sharer', handle: sendCopy('page') },
  { method: 'GET', path: SHARING.copyTable, caller: 'sharer', handle: sendCopy('table') },
  { method: 'GET', path: SHARING.copyFile, caller: 'sharer', handle: sendCopy('file') },
  { method: 'GET', path: SHARING.copyProduction, caller: 'sharer', handle: sendCopy('production') },
  { method: 'GET', path: SHARING.copyLoads, caller: 'sharer', handle: sendCopy('loads') },
  { method: 'GET', path: SHARING.signOut, caller: 'visitor', handle: showSignedOut },
  { method: 'POST', path: SHARING.signOut, caller: 'visitor', handle: signOutFarmer },
  { method: 'GET', path: OPS.signIn, caller: 'signing-in', handle: showSignIn },
  { method: 'POST', path: OPS.signIn, caller: 'signing-in', handle: signIn },
  { method: 'GET', path: OPS.toProvider, caller: 'signing-in', handle: goToProvider },
  { method: 'GET', path: OPS.fromProvider, caller: 'signing-in', handle: comeFromProvider },
  { method: 'POST', path: OPS.signOut, caller: 'operator', handle: signOut },
  { method: 'GET', path: OPS.channels, caller: 'operator', handle: showChannelsPage },
  { method: 'GET', path: OPS.channel, caller: 'operator', handle: showChannelPage },
  ...actionRoutes(OPERATORS_DOOR, 'operator'),
  { method: 'GET', path: CUSTOMER.signIn, caller: 'customer-signing-in', handle: showSignIn },
  { method: 'POST', path: CUSTOMER.signIn, caller: 'customer-signing-in', handle: signIn },
  { method: 'POST', path: CUSTOMER.signOut, caller: 'customer', handle: signOut },
  { method: 'GET', path: CUSTOMER.page, caller: 'customer', handle: showChannelPage },
  { method: 'GET', path: CUSTOMER.production, caller: 'customer', handle: downloadProduction },
  ...actionRoutes(CUSTOMERS_DOOR, 'customer'),
  { method: 'GET', path: '/livez', caller: 'anyone', handle: livez },
  { method: 'GET', path: '/readyz', caller: 'anyone', handle: readyz },
  { method: 'GET', path: '/.well-known/security.txt', caller: 'anyone', handle: showSecurityTxt },
  { method: 'GET', path: '/openapi.json', caller: 'anyone', handle: (ctx) => showOpenApi(ctx) },
  { method: 'GET', path: '/docs', caller: 'anyone', handle: showDocs },
  { method: 'GET', path: '/docs/:file', caller: 'anyone', handle: showDocsFile },
  { method: 'GET', path: '/downloads/:download', caller: 'anyone', handle: showDownload },
  { method: 'GET', path: '/guide', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/guide.md', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/guide/:page', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/guide/samples/:sample', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/guide/samples/postgres-receiver/:part', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/guide/images/customer/:image', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/llms.txt', caller: 'anyone', handle: showGuide },
  { method: 'GET', path: '/llms-full.txt', caller: 'anyone', handle: showGuide },
];

// Describes the table it is part of.
const showOpenApi = showDocument(ROUTES);
