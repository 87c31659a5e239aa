import { batchesOf } from '../../store/batches';
import { appendConsents, listConsents, type Consent, type ConsentAct } from '../../store/consents';
import { changeSession, goOnSaving, phoneOf, type SavedChoices } from '../../store/farmer-sessions';
import { EntityTypesAdded, grant, revoke } from '../../store/grant-and-revoke';
import type { SubscriptionKey } from '../../store/subscriptions';
import { subscriptionsChanged } from '../../workflows/messages';
import type { Deps } from '../route';
import { whoOf, type ListedAccount } from './list-accounts';
import { endingOf } from './phone-number';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import { Trouble } from './trouble';
import type { Visit } from './visit';

type Saving = Pick<Visit, 'session' | 'channel'> & { requestId: string };
/** What an act comes to. @returns how many it changed */
type Take = (keys: SubscriptionKey[], batch: ListedAccount[]) => Promise<number>;

/**
 * Does what the plan says, each act written into the ledger before it takes effect; then rings the bell. Batch by batch,
 * so that a farmer of thousands of accounts waits seconds, and whoever looks meanwhile sees that it goes on.
 * @throws Trouble when the channel has changed since: the page to check is there again, and says something else
 */
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
  let changed = 0;
  const write = async (act: ConsentAct['act'], accounts: ListedAccount[]) => {
    const acts = accounts.map((account) => actOf(saving, who, act, account));
    last = (await appendConsents(store, acts)).at(-1);
  };
  const doAll = async (act: ConsentAct['act'], accounts: ListedAccount[], take: Take) => {
    for (const batch of batchesOf(accounts)) {
      await write(act, batch);
      const keys = batch.map(({ id }) => ({ ...who, account: id }));
      changed += await take(keys, batch);
      await goOnSaving(store, session);
    }
  };
  const start: Take = (keys, batch) =>
    grant(store, channel, keys, ending).catch(async (error: Error) => {
      if (!(error instanceof EntityTypesAdded)) throw error;
      await write('revoke', batch);
      await changeSession(store, session, { saving: null, check: session.check });
      throw new Trouble('stale');
    });
  await doAll('revoke', plan.stop, (keys) => revoke(store, keys));
  await doAll('grant', plan.start, start);
  await doAll('refusal', newlyDeclined(plan, before), async () => 0);
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
