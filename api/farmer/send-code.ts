import { setTimeout as after } from 'node:timers/promises';
import { countSignInCode } from '../../metrics/count-sign-in-code';
import { phoneOf, type FarmerSession } from '../../store/farmer-sessions';
import {
  findSignInCode,
  hasLiveCode,
  newSignInCode,
  noteFailed,
  noteSent,
  RESEND_AFTER_MS,
} from '../../store/sign-in-codes';
import { farmerOf } from '../../store/subscriptions';
import type { Deps } from '../route';
import { countCode, uncountCode } from './code-limits';
import { PATHS } from './paths';
import { TEXTS } from './texts/texts';
import { Trouble } from './trouble';

// Long enough to learn that a provider is down, short enough to wait for.
const PATIENCE_MS = 2_000;

/**
 * Texts a code to the session's phone. Whether anybody has an account with it is not looked at, so the answer and its
 * time cannot tell (farmer page). @returns false when one was sent a moment ago
 * @throws Trouble when there were too many, or the provider says no
 */
export async function sendCode(deps: Deps, session: FarmerSession, address: string): Promise<boolean> {
  const { store, sender } = deps;
  const phone = phoneOf(store, session);
  if (await justSent(deps, session, phone)) return false;
  const counted = { phone, address, channel: session.link.channel };
  const waitMs = await countCode(store, counted);
  if (waitMs > 0) {
    countSignInCode('limited');
    // The code that he has may still be good.
    const back = (await hasLiveCode(store, session, phone)) ? PATHS.code : PATHS.phone;
    throw new Trouble('limited', { waitMs, back });
  }
  const code = await newSignInCode(store, session, phone, { shown: sender.showsCodes });
  if (code === undefined) {
    await uncountCode(store, counted);
    return false;
  }
  const { outcome, counts } = await Promise.race([
    text(deps, session, phone, code),
    after(PATIENCE_MS, { outcome: 'sending', counts: true } as const, { ref: false }),
  ]);
  countSignInCode(outcome);
  if (!counts) await uncountCode(store, counted);
  if (outcome === 'failed') throw new Trouble('notSent', { back: PATHS.phone });
  return true;
}

async function justSent({ store }: Deps, session: FarmerSession, phone: string): Promise<boolean> {
  const last = await findSignInCode(store, session);
  if (!last || last.text === 'failed' || last.farmer !== farmerOf(store, phone)) return false;
  return Date.now() - last.sent_at.getTime() < RESEND_AFTER_MS;
}

/**
 * Never throws: a text that is not taken is told in the log, and to the farmer on his next page. It counts all the same
 * if its code was tried meanwhile: guesses at codes that nobody was sent would have no limit.
 */
async function text(
  { store, sender, farmer, log }: Deps,
  session: FarmerSession,
  phone: string,
  code: string,
) {
  const { channel } = session.link;
  try {
    await sender.send({ to: `+1${phone}`, body: bodyOf(session, code, farmer) });
  } catch (error) {
    log.warn({ channel, error: (error as Error).message }, 'a code was not texted');
    const counts = await noteFailed(store, session, phone, code).catch(() => true);
    return { outcome: 'failed', counts } as const;
  }
  await noteSent(store, session, phone, code).catch(() => {});
  return { outcome: 'sent', counts: true } as const;
}

/** The last line binds the code to this site: phones fill it in here and nowhere else (web.dev/sms-otp-form). */
function bodyOf(session: FarmerSession, code: string, settings: Deps['farmer']): string {
  const { hostname } = new URL(settings.publicUrl);
  return `${TEXTS[session.language].sms(code, settings.serviceName)}\n\n@${hostname} #${code}`;
}
