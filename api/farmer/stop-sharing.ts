import { type Shared, shareAccounts } from '../../control/share-accounts';
import { changeSession, phoneOf, type Stopped } from '../../store/sessions/farmer-sessions';
import type { ConsentAct } from '../../store/consent/consents';
import type { Subscription } from '../../store/consent/subscriptions';
import { referenceOf } from './save-choices';
import { SHARING_TEXT_VERSION } from './texts/texts';
import { type Recipient, whoSees } from './who-sees';
import type { FarmerDeps, SessionContext } from './farmer-state';

/** The scope of a stop button: all customers, one customer, or one account of a customer. */
export type Stopping = { all: true } | { slug: string; account?: string };

/** Ends the farmer's grants under every partner_id. Grants that have ended before stay as they are. */
export async function stopSharing(ctx: SessionContext, deps: FarmerDeps, stopping: Stopping): Promise<void> {
  const { session } = ctx.state;
  const stopped: Stopped = { customers: [], references: [] };
  const { recipients } = await whoSees(deps.store, phoneOf(deps.store, session));
  for (const recipient of recipients) {
    const meant = recipient.accounts.filter(({ id }) => isMeant(stopping, recipient, id));
    const ending = meant.flatMap(({ own }) => own);
    const { changed, last } = await end(ctx, deps, recipient, ending);
    if (changed === 0) continue;
    if ('slug' in stopping && stopping.account !== undefined) stopped.account = meant[0]!.name;
    stopped.customers.push(recipient.channel.name);
    if (last) stopped.references.push(referenceOf(last));
  }
  if (stopped.customers.length > 0) await changeSession(deps.store, session, { stopped });
}

const isMeant = (stopping: Stopping, { channel }: Recipient, id: string) =>
  'all' in stopping || (stopping.slug === channel._id && (stopping.account ?? id) === id);

async function end(
  { state: { session, requestId, logged } }: SessionContext,
  deps: FarmerDeps,
  { channel }: Recipient,
  ending: Subscription[],
): Promise<Pick<Shared, 'changed' | 'last'>> {
  if (ending.length === 0) return { changed: 0, last: undefined };
  const { name: channel_name, entity_types } = channel;
  const read = { text_version: SHARING_TEXT_VERSION, language: session.language, request_id: requestId };
  const revokes = ending.map(({ channel: slug, partner_id, farmer, account }): ConsentAct => {
    const key = { channel: slug, partner_id, farmer, account };
    return { act: 'revoke', ...key, channel_name, entity_types, ...read };
  });
  const shared = await shareAccounts(deps, channel, { revokes }, { requestId });
  logged['revoked'] = Number(logged['revoked'] ?? 0) + shared.changed;
  return shared;
}
