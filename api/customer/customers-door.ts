import { timeNow } from '../../domain/time/elapsed';
import { refusedBy } from '../../domain/settings/access';
import {
  customerSessions,
  findCustomerSession,
  openCustomerSession,
} from '../../store/sessions/page-sessions';
import { noteTokenUse } from '../../store/callers/token-use';
import { hashToken } from '../../store/callers/tokens';
import { channelKeys } from '../../store/channels/channels';
import type { Door } from '../channel/door';

/** The paths of a customer's own page, as in the route table. */
export const CUSTOMER = {
  page: '/customer',
  production: '/customer/production',
  signIn: '/customer/sign-in',
  signOut: '/customer/sign-out',
} as const;

/** A customer's way in, by the key of its channel, to that channel alone. */
export const CUSTOMERS_DOOR: Door = {
  via: '/customer',
  people: 'customers',
  holder: 'channel',
  cookie: 'gdx-customer',
  paths: { ...CUSTOMER, home: CUSTOMER.page, channel: CUSTOMER.page },
  wayOn: () => CUSTOMER.page,
  async open(store, apiKey, ip) {
    const channel = await channelKeys.find(store, apiKey);
    if (!channel || refusedBy(channel.key_access, ip, timeNow())) return null;
    // Nobody waits for this (docs/contract.md A15).
    noteTokenUse(store, hashToken(apiKey)).catch(() => undefined);
    return { cookie: await openCustomerSession(store, channel, apiKey), who: channel._id };
  },
  async find(store, cookie, ip) {
    const found = await findCustomerSession(store, cookie, ip);
    return found && { ...found, by: found.channel.name, mayAct: true };
  },
  close: customerSessions.close,
  keep: customerSessions.keep,
  take: customerSessions.take,
};
