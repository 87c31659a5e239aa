import type { EntityType } from '../../domain/entity-types';
import { MessageCollector } from '../../domain/validation-messages';
import type { Channel } from '../../store/channels/channels';
import { type Choice, MOST_OF_ACCOUNT } from '../../store/window/choose-records';
import { entityTypeOf } from '../http/entity-type-of';
import { invalid } from '../http/http-error';

export const MOST_IDS = 1_000;
/** The problem of an account, without its subject. */
export const TOO_MANY = `has more than ${MOST_OF_ACCOUNT.toLocaleString('en-US')} records of this type: reset the marker instead`;

/**
 * Checks the body of a resend (docs/contract.md C23).
 * @throws HttpError VALIDATION_ERROR with everything that is wrong at once
 */
export function resendRequest(channel: Channel, body: unknown): { entityType: EntityType; choice: Choice } {
  const given: { entity_type?: unknown; ids?: unknown; account?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, given.entity_type, found);
  const choice = choiceOf({ ids: given.ids ?? undefined, account: given.account ?? undefined }, found);
  if (!found.empty || !entityType || !choice) throw invalid(found.messages());
  return { entityType, choice };
}

function choiceOf(
  { ids, account }: { ids: unknown; account: unknown },
  found: MessageCollector,
): Choice | undefined {
  if ((ids === undefined) === (account === undefined)) {
    found.add('ids', 'give either ids or account');
    return undefined;
  }
  if (ids === undefined) {
    if (isFedId(account)) return { account };
    found.add('account', 'must be an id as the feed shows it');
    return undefined;
  }
  if (Array.isArray(ids) && ids.length >= 1 && ids.length <= MOST_IDS) {
    if (ids.every(isFedId)) return { ids };
    found.add(`ids[${ids.findIndex((id) => !isFedId(id))}]`, 'must be an id as the feed shows it');
  } else found.add('ids', `must be a list of 1 to ${MOST_IDS} ids`);
  return undefined;
}

// `<company_id>-<remote_id>`: 64 and 128 characters.
export const MOST_CHARACTERS = 193;

/** Whether it can be an id as the feed shows it. */
export const isFedId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Array.from(value).length <= MOST_CHARACTERS;
