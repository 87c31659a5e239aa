import { grantEndOf } from '../../domain/consent/grant-end';
import { shareAccounts } from '../../control/share-accounts';
import { listConsents, type Consent, type ConsentAct } from '../../store/consent/consents';
import { FarmerStopped } from '../../store/consent/farmer-notices';
import { changeSession, goOnSaving, phoneOf, type SavedChoices } from '../../store/sessions/farmer-sessions';
import { TermsChanged } from '../../store/sharing/grant-and-revoke';
import { afterTheAnswer } from './after-the-answer';
import { tellBegun } from './tell-farmers';
import type { ListedAccount } from './list-accounts';
import type { PlannedChoices } from './new-check';
import { endingOf } from './phone-number';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps, FarmerState } from './farmer-state';

/** `who` is that of the plan: another farmer may have the phone once the first was erased. */
type Saving = Pick<FarmerState, 'session' | 'channel'> &
  Pick<PlannedChoices, 'who' | 'stop'> & { requestId: string };

/**
 * Carries out a plan batch by batch. A farmer with thousands of accounts then waits only seconds, and sees that it
 * continues.
 * @throws FarmerPageError when the channel's terms have changed, or the farmer has stopped something: they have to check the page
 * again
 */
export async function saveChoices(
  deps: FarmerDeps,
  saving: Saving,
  plan: Plan,
): Promise<Omit<SavedChoices, 'form'>> {
  const { store } = deps;
  const { session, channel, requestId, who } = saving;
  const before = await listConsents(store, who);
  const ends_at = grantEndOf(plan.endsOn);
  const actsOf = (act: ConsentAct['act'], accounts: ListedAccount[]) =>
    accounts.map((account) => actOf(saving, act, account));
  const { purpose, passes_on } = channel;
  const read = {
    ...(purpose && { purpose: purpose[session.language] }),
    ...(passes_on && { passes_on }),
  };
  const grantsOf = (accounts: ListedAccount[], earlierOf: (account: ListedAccount) => boolean) =>
    accounts.map((account) => ({
      ...actOf(saving, 'grant', account),
      ...read,
      earlier: earlierOf(account),
      ...(ends_at && { ends_at }),
    }));
  // A widened grant gets its new end with its earlier records.
  const widened = new Set(plan.widened);
  const moved = plan.moved.filter((account) => !widened.has(account));
  const acts = {
    revokes: actsOf('revoke', plan.stop),
    grants: grantsOf(plan.start, () => plan.earlier),
    widened: grantsOf(plan.widened, () => true),
    moves: grantsOf(moved, ({ newSince }) => !newSince),
    refusals: actsOf('refusal', newlyDeclined(plan, before)),
  };
  const phoneEnding = endingOf(phoneOf(store, session));
  const onBatch = (changed: number) => goOnSaving(store, session, changed);
  const page = { requestId, phoneEnding, stop: saving.stop, onBatch };
  const shared = await shareAccounts(deps, channel, acts, page).catch(async (error: Error) => {
    if (!(error instanceof TermsChanged || error instanceof FarmerStopped)) throw error;
    await changeSession(store, session, { saving: null, check: session.check });
    throw new FarmerPageError('stale');
  });
  if (plan.start.length > 0) afterTheAnswer(tellBegun(deps, who.farmer));
  const last = shared.last ?? before.at(-1);
  return {
    status: shared.changed > 0 ? 'saved' : 'unchanged',
    reference: last ? referenceOf(last) : null,
    begun: plan.start.length + plan.widened.length > 0,
    stopped: plan.stop.slice(0, MOST_NAMED).map(({ name }) => name),
    stopped_others: Math.max(0, plan.stop.length - MOST_NAMED),
  };
}

const MOST_NAMED = 10;

/**
 * The declined accounts whose last entry is neither a refusal nor a revoke. A refusal is written once, not at
 * every visit.
 */
function newlyDeclined(plan: Plan, before: Consent[]): ListedAccount[] {
  const own = before.filter(({ act }) => !act.startsWith('deletion_'));
  const latest = new Map(own.map(({ account, act }) => [account, act]));
  return plan.declined.filter(({ id }) => !['refusal', 'revoke'].includes(latest.get(id) ?? ''));
}

function actOf(
  { session, channel, requestId, who }: Saving,
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

/** The reference of a consent, which is its place in the ledger. An operator finds the consent by it. */
export const referenceOf = ({ _id }: Consent) => _id.replace('/', '-');
