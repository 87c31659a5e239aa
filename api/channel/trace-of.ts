import { isFedId } from '../../control/fields';
import { type Trace, traceForCustomer, traceForOperator } from '../../control/trace-record';
import { isEntityType } from '../../domain/records/entity-types';
import { trimmed } from '../../domain/text/pasted-text';
import type { Channel } from '../../store/channels/channels';
import type { PageDeps, SignedInContext } from './signed-in-state';

/** What a page was asked of one record. Without a trace it is not there, or not this customer's. */
export interface TraceAsked {
  type: string;
  id: string;
  trace: Trace | undefined;
}

/** Where the record is that the page's address names; undefined where it names none. */
export async function traceOf(
  { query, state: { door } }: SignedInContext,
  { store }: PageDeps,
  channel: Channel,
): Promise<TraceAsked | undefined> {
  const { trace: type, record } = query;
  const given = typeof record === 'string' ? trimmed(record) : '';
  const [company, ...others] = channel.companies;
  const isOwn = company !== undefined && others.length === 0 && !given.startsWith(`${company}-`);
  const id = isOwn && given !== '' ? `${company}-${given}` : given;
  if (!isEntityType(type) || !isFedId(id)) return undefined;
  const asked = { type, id };
  const trace =
    door.holder === 'operator'
      ? await traceForOperator(store, asked, [channel])
      : await traceForCustomer(store, asked, channel);
  return { ...asked, trace };
}
