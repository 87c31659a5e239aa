import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/store';
import { lastDayOf, yearsSince } from '../../domain/consent/grant-end';
import { listRecipients } from '../../store/channels/channels';
import {
  endBegun,
  type FarmerNotices,
  giveBack,
  newsOf,
  noteNews,
  noteYear,
  readNews,
  takeBegun,
} from '../../store/consent/farmer-notices';
import { knownFarmer } from '../../store/consent/farmers';
import { crowdedCompanies, nameless } from '../../store/consent/offered-accounts';
import { phoneOfFarmer, carriersByPhone } from '../../store/consent/phone-of-farmer';
import { hasExpired, listAllOfFarmer, type Subscription } from '../../store/consent/subscriptions';
import { inTransaction } from '../../store/transact';
import type { FarmerDeps } from './farmer-state';
import { shortSharingUrl } from './paths';
import { whosePhone } from './phone-number';
import { sendAsAsked } from './sms/send-or-pretend';
import { nameInMessage, plainForText } from './sms/text-of-message';
import { TEXTS } from './texts/texts';

/** The dependencies for a text to a farmer. */
export type TellDeps = Pick<FarmerDeps, 'store' | 'sender' | 'farmer' | 'log'>;

// The most names in one text. The page has them all.
const MOST_NAMES = 3;

/** Texts a farmer what they are to be told of, text by text, and then the other phones of what they have granted. Never throws. */
export async function tellBegun(deps: TellDeps, farmer: string): Promise<void> {
  const { store } = deps;
  const others: string[] = [];
  for (let isTold = true; isTold;) {
    const notices = await takeBegun(store, farmer, randomUUID()).catch(() => null);
    if (!notices) break;
    isTold = await tell(deps, notices, async () => {
      const { kind, since } = readNews(notices.sending.news[0]!);
      const concerned = await concernedBy(store, notices);
      if (kind === 'others') return void others.push(...(await handOn(deps, notices, concerned)));
      const more = kind === 'ending' ? since : (concerned[0]?.phone_ending ?? '');
      const say = TEXTS[notices.language ?? 'en'].message[kind];
      await text(deps, notices, concerned, (...said) => say(...said, more), notices.sending.key);
      await endBegun(store, notices);
    });
  }
  for (const other of others) await tellBegun(deps, other);
}

type Sending = NonNullable<Awaited<ReturnType<typeof takeBegun>>>;

/** The grants that the news are of, as far as it is still so. */
async function concernedBy(store: Store, { _id: farmer, sending }: Sending): Promise<Subscription[]> {
  const news = sending.news.map(readNews);
  const isOne = (one: Subscription, { kind, channel, since }: (typeof news)[number]) => {
    if ((one.state === 'granted') === (kind === 'stopped')) return false;
    if (kind !== 'stopped' && hasExpired(one)) return false;
    if (kind === 'yearly') return true;
    if (one.channel !== channel) return false;
    if (kind === 'ending') return !!one.ends_at && lastDayOf(one.ends_at) === since;
    const isOfGrant = kind !== 'stopped' && kind !== 'changed';
    return since === '' || (isOfGrant ? one.granted_in : one.version) === Number(since);
  };
  const all = await listAllOfFarmer(store, news[0]!.whose || farmer);
  return all.filter((one) => news.some((each) => isOne(one, each)));
}

/**
 * Has the other phones of these accounts told, each once. Not one that is nobody's or everybody's: it could stop nothing.
 * @returns whose they are
 */
async function handOn(
  { store, farmer: { codes } }: TellDeps,
  notices: Sending,
  granted: Subscription[],
): Promise<string[]> {
  const phones: string[] = [];
  const accounts = granted.map(({ account }) => account);
  for (const [phone, carriers] of await carriersByPhone(store, accounts)) {
    const crowded = await crowdedCompanies(store, phone);
    const isTheirs = carriers.some((account) => !crowded.includes(nameless(account).company.id));
    if (isTheirs && whosePhone(phone, codes.countries) !== 'nobody’s') phones.push(phone);
  }
  const { channel, since } = readNews(notices.sending.news[0]!);
  const news = [newsOf('other', channel, since, notices._id)];
  return inTransaction(store, async (session) => {
    if (!(await endBegun(store, notices, session))) return [];
    const others: string[] = [];
    for (const phone of phones) {
      const other = await knownFarmer(store, phone, session);
      if (other === notices._id) continue;
      await noteNews(store, other, { news, language: notices.language }, session);
      others.push(other);
    }
    return others;
  });
}

/** Notes that a farmer is to be told of this year who gets their data, once for each year. */
export async function remind(
  { store }: TellDeps,
  { _id, from, years }: Pick<FarmerNotices, '_id' | 'from' | 'years'>,
  now: Date,
): Promise<void> {
  const year = yearsSince(from, now);
  if (year >= 1 && !years.includes(year)) await noteYear(store, { _id, from }, year);
}

/** @returns whether it was sent, or there was nothing to send */
async function tell(
  { store, log }: TellDeps,
  notices: FarmerNotices,
  send: () => Promise<void>,
): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'a farmer was not told who gets their data');
    await giveBack(store, notices).catch(() => {}); // if this fails, an hourly round frees it
    return false;
  }
}

/** @throws NotTaken */
async function text(
  { store, sender, farmer: settings }: TellDeps,
  { _id: farmer }: FarmerNotices,
  granted: Subscription[],
  say: (service: string, customers: string[], others: number, address: string) => string,
  key: string,
): Promise<void> {
  if (granted.length === 0) return;
  const channels = await listRecipients(store, [...new Set(granted.map(({ channel }) => channel))]);
  const accounts = granted.map(({ account }) => account);
  const found = await phoneOfFarmer(store, farmer, accounts); // last: a number may move at any moment
  if (!found) return; // no account lists the farmer's number any more
  const carriers = new Set(found.carriers);
  const shared = granted.filter(({ account }) => carriers.has(account));
  const slugs = new Set(shared.map(({ channel }) => channel));
  const names = channels
    .filter(({ _id }) => slugs.has(_id))
    .map(({ _id, name }) => nameInMessage(plainForText(name)) || _id)
    .sort();
  const [shown, others] = [names.slice(0, MOST_NAMES), Math.max(0, names.length - MOST_NAMES)];
  const body = plainForText(say(settings.serviceName, shown, others, shortSharingUrl(settings)));
  await sendAsAsked(sender, () => sender.send({ to: `+1${found.phone}`, body, key }));
}
