import type { TextMessage, TextSender } from '../../api/farmer/sms/text-sender';
import type { Limits } from '../../api/limits';
import type { FarmerSettings } from '../../api/farmer/visit';
import type { ChannelSettings } from '../../store/channels';
import type { Store } from '../../store/connect';
import { addTestChannel } from '../setup/add-test-channel';
import { pushRecords } from '../setup/push-records';
import { hearingBell, startApi } from '../api/start-api';
import { Visitor } from './visitor';

export const PHONE = '7015550142';
export const OTHER_PHONE = '7015550199';

/** Remembers the texts instead of sending them. */
export class TextsInHand implements TextSender {
  showsCodes = false;
  readonly texts: TextMessage[] = [];
  /** What happens to a text. */
  outcome: () => Promise<void> = async () => {};

  async send(message: TextMessage): Promise<void> {
    await this.outcome();
    this.texts.push(message);
  }

  codeFor(phone: string): string {
    const last = this.texts.findLast(({ to }) => to === `+1${phone}`);
    return /^(\d{6}) /.exec(last?.body ?? '')?.[1] ?? 'none';
  }
}

export type Farmers = Awaited<ReturnType<typeof startFarmers>>;

/** The API with a channel `acme` that farmers can subscribe, and a bell that remembers. */
export async function startFarmers(
  options: {
    limits?: Partial<Limits>;
    farmer?: Partial<FarmerSettings>;
    sender?: TextSender;
    store?: Store;
  } = {},
) {
  const sender = new TextsInHand();
  const { bell, rung } = hearingBell();
  const limits = { visitsPerMinute: 1e6, ...options.limits };
  const api = await startApi({ bell, sender, ...options, limits });
  const { apiKey } = await addFarmersChannel(api, 'acme');
  return {
    ...api,
    apiKey,
    sender,
    rung,
    visitor: () => new Visitor(api.port),
    /** A visitor who has proven the phone and sees his accounts. */
    async verified(changes: Record<string, string> = {}): Promise<Visitor> {
      const visitor = new Visitor(api.port);
      const phone = changes['phone'] ?? PHONE;
      await forgetAttempts(api);
      await visitor.get(linkTo({ ...changes, phone }));
      await visitor.submit({});
      await visitor.submit({ code: sender.codeFor(phone) });
      return visitor;
    },
    forgetAttempts: () => forgetAttempts(api),
  };
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
export function linkTo(changes: Record<string, string> = {}): string {
  const parameters = {
    callback_url: 'https://acme.example/back?case=7',
    display_name: 'Acme Crop',
    partner_id: 'policy-1',
    partner_slug: 'acme',
    phone: PHONE,
    ...changes,
  };
  return `/subscriptions?${new URLSearchParams(parameters)}`;
}

/** Accounts of one phone: `Meyer Farms 1`, ... */
export function accountsOf(phone: string, count: number, first = 1) {
  return Array.from({ length: count }, (_, index) => ({
    id: String(first + index),
    name: `Meyer Farms ${first + index}`,
    phones: [{ phone }],
  }));
}

export const pushAccounts = (api: Api, accounts: object[], company?: { id: string; name: string }) =>
  pushRecords(api.store, { accounts }, company);
