import { randomUUID } from 'node:crypto';
import { yearsSince } from '../../domain/consent/grant-end';
import { listRecipients } from '../../store/channels/channels';
import {
  endBegun,
  endYear,
  type FarmerNotices,
  giveBack,
  MOST_TRIES,
  takeBegun,
  takeYear,
} from '../../store/consent/farmer-notices';
import { phoneOfFarmer } from '../../store/consent/phone-of-farmer';
import { listGrantedOfFarmer, type Subscription } from '../../store/consent/subscriptions';
import type { FarmerDeps } from './farmer-state';
import { shortSharingUrl } from './paths';
import { sendAsAsked } from './sms/send-or-pretend';
import { nameInMessage, plainForText } from './sms/text-of-message';
import { TEXTS } from './texts/texts';

/** The dependencies for a text to a farmer. */
export type TellDeps = Pick<FarmerDeps, 'store' | 'sender' | 'farmer' | 'log'>;

// The most names in one text. The page has them all.
const MOST_NAMES = 3;

/** Texts a farmer once after a grant which customers now get their data. Never throws. */
export async function tellBegun(deps: TellDeps, farmer: string): Promise<void> {
  const notices = await takeBegun(deps.store, farmer, randomUUID()).catch(() => null);
  if (!notices) return;
  await tell(deps, notices, async () => {
    const granted = (await listGrantedOfFarmer(deps.store, farmer)).filter(({ channel }) =>
      notices.begun.includes(channel),
    );
    await text(deps, notices, granted, TEXTS[notices.language].message.begun);
    await endBegun(deps.store, notices);
  });
}

/** Texts a farmer once a year who gets their data, unless they share nothing any more. Never throws. */
export async function remind(
  deps: TellDeps,
  { _id: farmer, from, years }: Pick<FarmerNotices, '_id' | 'from' | 'years'>,
  now: Date,
): Promise<void> {
  const year = yearsSince(from, now);
  if (year < 1 || years.includes(year)) return;
  const notices = await takeYear(deps.store, farmer, year, randomUUID()).catch(() => null);
  if (!notices) return;
  await tell(deps, notices, async () => {
    const granted = await listGrantedOfFarmer(deps.store, farmer);
    if (notices.tries < MOST_TRIES)
      await text(deps, notices, granted, TEXTS[notices.language].message.yearly);
    await endYear(deps.store, notices, year);
  });
}

async function tell(
  { store, log }: TellDeps,
  notices: FarmerNotices,
  send: () => Promise<void>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'a farmer was not told who gets their data');
    await giveBack(store, notices).catch(() => {}); // if this fails, an hourly round frees it
  }
}

/** @throws NotTaken */
async function text(
  { store, sender, farmer: settings }: TellDeps,
  { _id: farmer }: FarmerNotices,
  granted: Subscription[],
  say: (service: string, customers: string[], others: number, address: string) => string,
): Promise<void> {
  if (granted.length === 0) return;
  const accounts = granted.map(({ account }) => account);
  const found = await phoneOfFarmer(store, farmer, accounts);
  if (!found) return; // no account lists the farmer's number any more
  const carriers = new Set(found.carriers);
  const shared = granted.filter(({ account }) => carriers.has(account));
  const slugs = [...new Set(shared.map(({ channel }) => channel))];
  const channels = await listRecipients(store, slugs);
  const names = channels
    .filter(({ _id }) => slugs.includes(_id))
    .map(({ _id, name }) => nameInMessage(plainForText(name)) || _id)
    .sort();
  const [shown, others] = [names.slice(0, MOST_NAMES), Math.max(0, names.length - MOST_NAMES)];
  const body = plainForText(say(settings.serviceName, shown, others, shortSharingUrl(settings)));
  await sendAsAsked(sender, () => sender.send({ to: `+1${found.phone}`, body }));
}
