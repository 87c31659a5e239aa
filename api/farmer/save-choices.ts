import { appendConsent, listConsents, type Consent, type ConsentAct } from '../../store/consents';
import { phoneOf, type SavedChoices } from '../../store/farmer-sessions';
import { grant, revoke } from '../../store/subscriptions';
import { subscriptionsChanged } from '../../workflows/messages';
import type { Deps } from '../route';
import { whoOf, type ListedAccount } from './list-accounts';
import { endingOf } from './phone-number';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import type { Visit } from './visit';

type Saving = Pick<Visit, 'session' | 'channel'> & { requestId: string };

/** Does what the plan says, each act written into the ledger before it takes effect; then rings the bell. */
export async function saveChoices(
  deps: Deps,
  saving: Saving,
  plan: Plan,
): Promise<Omit<SavedChoices, 'form'>> {
  const { store, bell } = deps;
  const { session, channel, requestId } = saving;
  const who = whoOf(store, session);
  const ending = endingOf(phoneOf(store, session));
  const before = await listConsents(store, who);
  let last = before.at(-1);
  const append = async (act: ConsentAct['act'], account: ListedAccount) => {
    last = await appendConsent(store, actOf(saving, who, act, account));
  };
  let changed = 0;
  for (const account of plan.stop) {
    await append('revoke', account);
    if (await revoke(store, { ...who, account: account.id })) changed++;
  }
  for (const account of plan.start) {
    await append('grant', account);
    if (await grant(store, channel, { ...who, account: account.id }, ending)) changed++;
  }
  for (const account of newlyDeclined(plan, before)) await append('refusal', account);
  if (changed > 0) await bell.ring(channel._id, subscriptionsChanged, { request_id: requestId });
  return { status: changed > 0 ? 'saved' : 'unchanged', reference: last ? referenceOf(last) : null };
}

/** A refusal is written once, not at every visit. */
function newlyDeclined(plan: Plan, before: Consent[]): ListedAccount[] {
  const latest = new Map(before.map(({ account, act }) => [account, act]));
  return plan.declined.filter(({ id }) => !['refusal', 'revoke'].includes(latest.get(id) ?? ''));
}

function actOf(
  { session, channel, requestId }: Saving,
  who: ReturnType<typeof whoOf>,
  act: ConsentAct['act'],
  account: ListedAccount,
): ConsentAct {
  return {
    act,
    ...who,
    channel_name: channel.name,
    account: account.id,
    entity_types: channel.entity_types,
    text_version: CONSENT_TEXT_VERSION,
    language: session.language,
    request_id: requestId,
  };
}

/** The last entry's place in the ledger: what an operator looks up. */
const referenceOf = ({ _id }: Consent) => _id.replace('/', '-');
