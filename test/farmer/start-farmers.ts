import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import type { CallMessage, TextMessage, TextSender } from '../../api/farmer/sms/text-sender';
import type { Limits } from '../../api/limits/limits';
import type { FarmerSettings } from '../../api/farmer/farmer-state';
import { cookieName } from '../../api/pages/page-cookie';
import { rememberDevice } from '../../store/sessions/device-tokens';
import { findFarmerSession, openFarmerSession } from '../../store/sessions/farmer-sessions';
import { verifySession } from '../../store/sessions/session-ends';
import type { ChannelSettings } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import type { ChannelClient } from '../../temporal/channel-client';
import { addTestChannel } from '../setup/add-test-channel';
import { pushRecords } from '../setup/push-records';
import { hearingSignals, startApi } from '../api/start-api';
import { Visitor } from './visitor';

export const PHONE = '7015550142';
export const OTHER_PHONE = '7015550199';

/** How a provider takes a text or call. */
export const sent = async () => {};
export const fails = async () => {
  throw new Error('down');
};

/** Records the texts and calls instead of sending them. */
export class TextsInHand implements TextSender {
  showsCodes = false;
  readonly texts: TextMessage[] = [];
  readonly calls: CallMessage[] = [];
  /** What happens to a text or call. */
  outcome: () => Promise<void> = sent;
  /** Texts and calls, those that failed too. */
  tried = 0;

  async send(message: TextMessage): Promise<void> {
    this.tried += 1;
    await this.outcome();
    this.texts.push(message);
  }

  async call(message: CallMessage): Promise<void> {
    this.tried += 1;
    await this.outcome();
    this.calls.push(message);
  }

  /** In a browser, which does not wait until a code is sent. */
  async codeSent(phone: string): Promise<string> {
    await whenAllIsDone();
    return this.codeFor(phone);
  }

  codeFor(phone: string): string {
    const code = /^(\d{6,8}) |: ((?:\d, ){5,7}\d)\./;
    const sent = [...this.texts, ...this.calls];
    const last = sent.findLast(({ to, body }) => to === `+1${phone}` && code.test(body));
    return code.exec(last?.body ?? '')?.[0].replace(/\D/g, '') ?? 'none';
  }
}

export type Farmers = Awaited<ReturnType<typeof startFarmers>>;

/** The API with a channel `acme` that farmers can subscribe. Its Temporal client, unless one is given, remembers its signals. */
export async function startFarmers(
  options: {
    limits?: Partial<Limits>;
    farmer?: Partial<FarmerSettings>;
    sender?: TextSender;
    store?: Store;
    temporal?: ChannelClient;
  } = {},
) {
  const sender = new TextsInHand();
  const { temporal, signals } = hearingSignals();
  const limits = { visitsPerMinute: 1e6, ...options.limits };
  // Nobody is taken on while a test looks.
  const farmer = { goOnAfterS: 3_600, ...options.farmer };
  const api = await startApi({ temporal, sender, ...options, limits, farmer });
  const { apiKey } = await addFarmersChannel(api, 'acme');
  return {
    ...api,
    apiKey,
    sender,
    signals,
    visitor: () => new Visitor(api.port),
    /** A visitor who has asked for a code. */
    async asked(phone = PHONE, partner_slug = 'acme'): Promise<{ visitor: Visitor; code: string }> {
      const visitor = new Visitor(api.port);
      await visitor.get(linkTo({ phone, partner_slug }));
      await visitor.submit({});
      return { visitor, code: sender.codeFor(phone) };
    },
    verified,
    /** A visitor who has verified the phone and shared these accounts. */
    async share(
      account: string[],
      changes: Record<string, string> = {},
      more: Record<string, string> = {},
    ): Promise<Visitor> {
      const visitor = await verified(changes);
      expect(await visitor.save({ account, ...more })).toMatchObject({ path: '/subscriptions/done' });
      return visitor;
    },
    forgetAttempts: () => forgetAttempts(api),
    /** What happens with the settings of production. */
    async inProduction<T>(act: () => Promise<T>): Promise<T> {
      const { production, publicUrl } = api.settings;
      Object.assign(api.settings, { production: true, publicUrl: 'https://farmers.example' });
      return act().finally(() => Object.assign(api.settings, { production, publicUrl }));
    },
  };

  /** A visitor who has verified the phone and sees the accounts: as if the right codes had been entered, here and on `/sharing`. */
  async function verified(changes: Record<string, string> = {}): Promise<Visitor> {
    const { phone } = linkParts(changes);
    const { store, settings } = api;
    await forgetAttempts(api);
    const session = await openVerifiedSession(store, changes);
    const sharing = await openVerifiedSharing(store, phone);
    const device = rememberDevice(store, '', phone);
    const visitor = new Visitor(api.port);
    visitor.cookie = Object.entries({ gdx: session, 'gdx-sharing': sharing, 'gdx-device': device })
      .map(([name, value]) => `${cookieName(name, settings)}=${value}`)
      .join('; ');
    await visitor.get('/subscriptions/accounts');
    return visitor;
  }
}

/** @returns the cookie's value of a visit whose phone was proven */
export async function openVerifiedSession(
  store: Store,
  changes: Record<string, string> = {},
): Promise<string> {
  const { partner_slug: channel, phone, ...rest } = linkParts(changes);
  return verifiedVisit(store, { link: { channel, signed: false, ...rest }, language: 'en', phone });
}

/** The same of a visit to `/sharing`. */
export const openVerifiedSharing = (store: Store, phone = PHONE): Promise<string> =>
  verifiedVisit(store, { link: null, language: 'en', phone });

async function verifiedVisit(store: Store, visit: Parameters<typeof openFarmerSession>[1]): Promise<string> {
  const token = await openFarmerSession(store, visit);
  const opened = await findFarmerSession(store, token, visit.link ? 'link' : 'sharing');
  return verifySession(store, opened!, 'right');
}

type Api = Pick<Awaited<ReturnType<typeof startApi>>, 'store'>;

export const addFarmersChannel = (api: Api, slug: string, settings: Partial<ChannelSettings> = {}) =>
  addTestChannel(api.store, slug, 'https://acme.example', {
    scope: 'subscribed',
    entity_types: ['accounts', 'contracts', 'tickets'],
    callback_origins: ['https://acme.example'],
    ...settings,
  });

const forgetAttempts = (api: Api) => api.store.db.collection('attempt_counts').deleteMany({});

/** The link of a customer, with what a test changes of it. */
export const linkTo = (changes: Record<string, string> = {}) =>
  `/subscriptions?${new URLSearchParams(linkParts(changes))}`;

const linkParts = (changes: Record<string, string>) => ({
  callback_url: 'https://acme.example/back?case=7',
  display_name: 'Acme Crop',
  partner_id: 'policy-1',
  partner_slug: 'acme',
  phone: PHONE,
  ...changes,
});

/** Accounts of one phone: `Meyer Farms 1`, ...; many have one name, as a phone of many names shares none. */
export function accountsOf(phone: string, count: number, first = 1) {
  return Array.from({ length: count }, (_, index) => ({
    id: String(first + index),
    name: count > 25 ? 'Meyer Farms' : `Meyer Farms ${first + index}`,
    phones: [{ phone }],
  }));
}

export const pushAccounts = (api: Api, accounts: object[], company?: { id: string; name: string }) =>
  pushRecords(api.store, { accounts }, company);
