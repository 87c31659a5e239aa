import { isYounger } from '../../domain/time/elapsed';
import type { Language } from '../../domain/text/language';
import type { Channel } from '../../store/channels/channels';
import {
  type CodeWay,
  findSignInCode,
  hasLiveCode,
  isForCopy,
  type NewCode,
  newSignInCode,
  noteSending,
  RESEND_AFTER_MS,
} from '../../store/codes/sign-in-codes';
import { isListedPhone } from '../../store/consent/phone-of-farmer';
import { phoneOf } from '../../store/sessions/farmer-sessions';
import {
  type Asking,
  codeCounts,
  countCode,
  digitsFor,
  uncountCode,
  unlistedCounts,
} from '../limits/code-limits';
import { afterTheAnswer } from './after-the-answer';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps, FarmerSettings, SessionState } from './farmer-state';
import { noteCode } from './note-activity';
import { PATHS, SHARING, shortSharingUrl } from './paths';
import { refuseWherePaused } from './refuse-where-paused';
import { whosePhone } from './phone-number';
import { pretendToSend, sendAsAsked } from './sms/send-or-pretend';
import { NoAnswer, NumberNotTaken } from './sms/text-sender';
import { nameInMessage, plainForText } from './sms/text-of-message';
import { TEXTS } from './texts/texts';

interface Request extends Pick<SessionState, 'session' | 'channel'> {
  via: CodeWay;
  asking: Asking;
}

/**
 * Sends a code to the session's phone. The answer waits neither for the provider nor for anything that depends on the
 * phone, so that it does not reveal whether an account lists the phone (docs/contract.md F4).
 * @throws FarmerPageError when too many were requested
 */
export async function sendCode(
  deps: FarmerDeps,
  { session, channel }: Pick<SessionState, 'session' | 'channel'>,
  { via: wanted, asking }: { via: CodeWay; asking: Asking },
): Promise<'asked' | 'tooSoon' | 'impossible'> {
  const { store, sender } = deps;
  const phone = phoneOf(store, session);
  const via = sender.call ? wanted : 'text';
  if (whosePhone(phone, deps.farmer.codes.countries) === 'nobody’s') {
    noteCode(deps, channel, 'impossible');
    return 'impossible';
  }
  if (await justSent(deps, session, phone)) return 'tooSoon';
  await refuseWherePaused(deps, asking, channel ? PATHS.phone : SHARING.phone);
  const { own, ofAddress, shared } = codeCounts(asking, deps.farmer);
  const counts = [...own, ...ofAddress, ...shared];
  const waitMs = await countCode(store, counts);
  if (waitMs > 0) {
    noteCode(deps, channel, 'limited');
    // A code sent earlier may still be valid.
    const paths = channel ? PATHS : SHARING;
    const back = isForCopy(session)
      ? SHARING.copy
      : (await hasLiveCode(store, session, phone))
        ? paths.code
        : paths.phone;
    throw new FarmerPageError('limited', { waitMs, back });
  }
  const digits = await digitsFor(store, asking);
  const of = { via, shown: sender.showsCodes, digits, known: asking.device !== undefined };
  const made = await newSignInCode(store, session, phone, of);
  if (!made) {
    await uncountCode(store, counts);
    return 'tooSoon';
  }
  if (digits > 6) noteCode(deps, channel, 'guarded');
  afterTheAnswer(send(deps, { session, channel, via, asking }, made));
  return 'asked';
}

async function justSent(
  { store }: FarmerDeps,
  session: SessionState['session'],
  phone: string,
): Promise<boolean> {
  const last = await findSignInCode(store, session, phone);
  if (!last || last.state === 'failed') return false;
  return isYounger(last.sent_at, RESEND_AFTER_MS);
}

/** Sends the code. It never throws: a failure is logged, and the farmer's next page shows that the provider is in trouble. */
async function send(deps: FarmerDeps, request: Request, { code, sent }: NewCode): Promise<void> {
  const { store, sender, log } = deps;
  const { asking, channel } = request;
  const { own, shared } = codeCounts(asking, deps.farmer);
  try {
    if (await isWithheld(deps, asking)) {
      noteCode(deps, channel, 'withheld');
      await uncountCode(store, shared); // made-up numbers must not use up others' budget
      await pretendToSend(sender);
    } else await sendMessage(deps, request, code);
    await noteSending(store, sent, 'sent');
  } catch (error) {
    log.warn({ channel: channel?._id, error: (error as Error).message }, 'a code was not sent');
    const isOfNumber = error instanceof NumberNotTaken; // answered as sent, or a listed number would show (docs/contract.md F4)
    await noteSending(store, sent, isOfNumber ? 'sent' : 'failed').catch(() => {});
    // What may have been sent counts: a provider that answers late must not text a phone without end (docs/contract.md F3).
    if (isOfNumber || error instanceof NoAnswer) return;
    // The address's count stays. Otherwise the provider could be asked without end.
    await uncountCode(store, own).catch(() => {});
  }
}

/**
 * Whether the code is withheld: no account lists the phone, and either its area is unknown or the budget for such
 * phones is used up. The answer to the farmer is the same in any case (docs/contract.md F4).
 */
async function isWithheld({ store, farmer }: FarmerDeps, asking: Asking): Promise<boolean> {
  if (await isListedPhone(store, asking.phone)) return false;
  if (whosePhone(asking.phone, farmer.codes.countries) === 'unheard') return true;
  return (await countCode(store, unlistedCounts(asking, farmer))) > 0;
}

async function sendMessage(deps: FarmerDeps, { session, channel, via, asking }: Request, code: string) {
  const { sender, store, farmer } = deps;
  const { language } = session;
  const to = `+1${asking.phone}`;
  const body = messageOf({ via, code, language, isForCopy: isForCopy(session) }, channel, farmer);
  try {
    await sendAsAsked(sender, async () =>
      via === 'call' ? sender.call!({ to, language, body }) : sender.send({ to, body }),
    );
    noteCode(deps, channel, 'sent');
  } catch (error) {
    noteCode(deps, channel, 'failed');
    await uncountCode(store, codeCounts(asking, farmer).shared);
    throw error;
  }
}

/**
 * Writes the text or call with a code. It says who asked for the code by a registered name only: the customer, or on
 * "who sees my grain data" the farmer.
 */
export function messageOf(
  {
    via,
    code,
    language,
    isForCopy: forCopy,
  }: { via: CodeWay; code: string; language: Language; isForCopy?: boolean },
  channel: Channel | undefined,
  settings: FarmerSettings,
): string {
  const { text, call, askedBy } = TEXTS[language].message;
  const asked = (written: (name: string) => string) =>
    channel
      ? askedBy.customer(nameInMessage(written(channel.name)) || channel._id)
      : forCopy
        ? askedBy.copy
        : askedBy.farmer;
  if (via === 'call')
    return call(
      Array.from(code).join(', '),
      settings.serviceName,
      asked((name) => name),
    );
  const { hostname } = new URL(settings.publicUrl);
  const body = text(code, settings.serviceName, asked(plainForText), shortSharingUrl(settings));
  // The last line binds the code to this site, so that phones autofill it only here (web.dev/sms-otp-form).
  return `${plainForText(body)}\n\n@${hostname} #${code}`;
}
