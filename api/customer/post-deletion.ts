import { Type } from '@sinclair/typebox';
import { formatInstant } from '../../domain/time/instants';
import { parseStrictJson } from '../../domain/records/strict-json';
import { confirmDeletion } from '../../store/sharing/deletions';
import { isFedId } from '../../control/fields';
import { HttpError, invalid } from '../http/http-error';
import type { ChannelContext, Deps } from '../http/route';

/** The body of `POST .../deletions`. */
export const DELETION_CONFIRMATION = Type.Object({
  account: Type.String({ minLength: 1, description: 'Its id, as the feed shows it.' }),
});

/**
 * `POST .../deletions`: the customer says that it has deleted an account that nobody shares any more
 * (docs/contract.md C28).
 */
export async function postDeletion(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const { channel, body, requestId, logged } = ctx.state;
  const given = parseStrictJson(body) as { account?: unknown } | null;
  const account = given?.account;
  if (!isFedId(account)) throw invalid({ account: ['must be an id as the feed shows it'] });
  const confirmed = await confirmDeletion(store, channel, account, requestId);
  if (confirmed === 'shared')
    throw new HttpError('ACCOUNT_SHARED', 'This account is shared with you: nobody asks you to delete it.');
  if (!confirmed) throw invalid({ account: ['must be an account that you were asked to delete'] });
  logged['account'] = account;
  ctx.body = { account, confirmed_at: formatInstant(confirmed) };
}
