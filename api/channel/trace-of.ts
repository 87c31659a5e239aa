import { isFedId } from '../../control/fields';
import { type Trace, traceForCustomer, traceForOperator } from '../../control/trace-record';
import { isEntityType } from '../../domain/records/entity-types';
import { trimmed } from '../../domain/text/pasted-text';
import type { Channel } from '../../store/channels/channels';
import { idsMeant } from '../../store/records/records';
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
  const [first, ...others] = idsOf(channel, given).filter(isFedId);
  if (!isEntityType(type) || first === undefined) return undefined;
  const find = (id: string) =>
    door.holder === 'operator'
      ? traceForOperator(store, { type, id }, [channel])
      : traceForCustomer(store, { type, id }, channel);
  let trace = await find(first);
  for (const id of others) trace ??= await find(id);
  return { type, id: trace?.id ?? first, trace };
}

/** A channel of one company is asked by its ERP's own ids as well. */
const idsOf = ({ companies: [company, ...others] }: Channel, given: string): string[] =>
  company === undefined || others.length > 0 || given === '' ? [given] : idsMeant(company, given);
