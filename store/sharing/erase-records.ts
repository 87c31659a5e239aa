import type { Filter } from 'mongodb';
import { DAY_MS, MINUTE_MS } from '../../domain/time/spans';
import { msSince } from '../../domain/time/elapsed';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Ending } from '../callers/endings';
import { integrations } from '../callers/integrations';
import { carriesCompany, type Channel, listChannels, listClosed } from '../channels/channels';
import { isAnyToBeTold } from '../consent/farmer-notices';
import { listCarriers, listGrantedHere, subscriptions } from '../consent/subscriptions';
import { forgetAnswers } from '../deliveries/deliveries';
import { forgetAsideOf, hasSetAside } from '../deliveries/set-aside';
import { listCatching } from '../markers/catch-ups';
import { readMarkers } from '../markers/markers';
import { forgetOldPages } from '../markers/waiting-pages';
import { countElevators, forgetElevators } from '../push/elevators';
import { forgetWords } from '../push/erp-words';
import { forgetActivity } from '../push/push-activity';
import { forgetReceipts } from '../push/push-receipts';
import { readCeiling } from '../records/counters';
import { companyOfId, idsOfCompany, inCompany, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { forgetPassedFields } from './passed-fields';

type Of = Pick<Ending, 'company' | 'record'>;

/** A paused, slow or dead customer holds up an ending no longer than this; its digest tells it what it has missed. */
const GIVEN_UP_MS = 30 * DAY_MS;

/** The types of which something ends. */
export const typesOfEnding = ({ record }: Of) => (record ? [record.type] : ENTITY_TYPES);

/** What ends among the records of one of its types. */
const recordsOf = ({ company, record }: Of): Filter<RecordDocument> =>
  record ? { _id: record.id } : { company_id: company.id };

/** What is granted of the accounts that end. */
export const listGrantedOfEnding = (store: Store, { company, record }: Of) =>
  record
    ? record.type === 'accounts'
      ? listGrantedHere(store, { account: record.id })
      : []
    : listGrantedHere(store, { company: company.id });

/** How many records there are of it, deleted ones too, and of these accounts; and elevators. */
export async function countEnding(store: Store, ending: Of) {
  const amounts: Partial<Record<EntityType, number>> = {};
  for (const type of typesOfEnding(ending))
    amounts[type] = await records(store, type).countDocuments(recordsOf(ending));
  const all = Object.values(amounts).reduce((sum, amount) => sum + amount, 0);
  const elevators = ending.record ? 0 : await countElevators(store, ending.company.id);
  return { records: all, accounts: amounts.accounts ?? 0, elevators };
}

/**
 * The next records that are to be deleted, in the order of their positions.
 * @param limit of them
 * @returns up to which position nothing is left once they are deleted; what is stored later is found by the next walk
 */
export async function nextToDelete(
  store: Store,
  ending: Ending,
  type: EntityType,
  { after, limit }: { after: number; limit: number },
): Promise<{ ids: string[]; to: number }> {
  const ceiling = await readCeiling(store, type); // whatever lies up to it is seen by the read that follows
  const alive = { ...recordsOf(ending), position: { $gt: after }, deleted_at: null };
  const found = await records(store, type)
    .find(alive, { projection: { position: 1 } })
    .sort({ position: 1 })
    .limit(limit)
    .toArray();
  const ids = found.map(({ _id }) => _id.slice(idsOfCompany(ending.company.id).from.length));
  return { ids, to: found.length < limit ? ceiling : found.at(-1)!.position };
}

/** The highest positions of what ends, by type: a customer that has confirmed these has confirmed all of it. */
export async function highestOf(store: Store, ending: Of): Promise<Map<EntityType, number>> {
  const highest = new Map<EntityType, number>();
  for (const type of typesOfEnding(ending)) {
    const [last] = await records(store, type)
      .find(recordsOf(ending), { projection: { position: 1 } })
      .sort({ position: -1 })
      .limit(1)
      .toArray();
    if (last) highest.set(type, last.position);
  }
  return highest;
}

/** The channels whose customers have not confirmed what lies up to there; none once they are given up. */
export async function awaitedBy(
  store: Store,
  ending: Ending,
  highest: ReadonlyMap<EntityType, number>,
): Promise<string[]> {
  if (isGivenUp(ending)) return [];
  const awaited: string[] = [];
  for (const channel of await listCarriers(store, ending.company.id)) {
    const markers = await readMarkers(store, channel._id);
    const lacks = (type: EntityType) => (highest.get(type) ?? 0) > (markers.get(type)?.position ?? 0);
    if (channel.entity_types.some(lacks) || (await isStillSent(store, ending, channel)))
      awaited.push(channel._id);
  }
  return awaited;
}

const isGivenUp = ({ erase_at }: Ending) => msSince(erase_at) > GIVEN_UP_MS;

/** Whether something of it that the marker has passed is still to come: what was refused or asked for again, and what a catch-up sends. */
async function isStillSent(store: Store, ending: Ending, channel: Channel): Promise<boolean> {
  if (ending.told_at) return false;
  const entity_types = channel.entity_types.filter((type) => typesOfEnding(ending).includes(type));
  for (const entity_type of entity_types)
    if (await hasSetAside(store, { channel: channel._id, entity_type }, idsOf(ending))) return true;
  const catching = await store.client.withSession((session) =>
    listCatching(store, { ...channel, entity_types }, session),
  );
  return catching.some((account) => companyOfId(account) === ending.company.id);
}

const idsOf = ({ company, record }: Of) => record?.id ?? inCompany(company.id);

/** Whether a farmer is still to be told by text that sharing has stopped: only the account has the number. */
export async function isToBeTold(store: Store, ending: Ending): Promise<boolean> {
  if (isGivenUp(ending) || !typesOfEnding(ending).includes('accounts')) return false;
  const revoked = { account: idsOf(ending), state: 'revoked' as const };
  return isAnyToBeTold(store, await subscriptions(store).distinct('farmer', revoked));
}

/** Erases some deleted records up to these positions. What was stored again since stays. @returns how many */
export async function eraseSome(
  store: Store,
  ending: Ending,
  highest: ReadonlyMap<EntityType, number>,
  limit: number,
): Promise<number> {
  for (const [type, to] of highest) {
    const told = { ...recordsOf(ending), position: { $lte: to }, deleted_at: { $ne: null } };
    const found = await records(store, type)
      .find(told, { projection: { _id: 1 } })
      .limit(limit)
      .toArray();
    if (found.length === 0) continue;
    const _id = { $in: found.map((one) => one._id) };
    await records(store, type).deleteMany({ _id, position: { $lte: to }, deleted_at: { $ne: null } });
    return found.length;
  }
  return 0;
}

/** Erases what stands beside the records: what customers have refused and answered, and of a company all that its ERPs left. */
export async function eraseBeside(store: Store, ending: Ending): Promise<void> {
  const { company, record, erase_at } = ending;
  await forgetAsideOf(store, typesOfEnding(ending), idsOf(ending));
  const ever = [...(await listChannels(store)), ...(await listClosed(store))];
  await forgetAnswers(store, slugsCarrying(ever, company.id), typesOfEnding(ending));
  if (record) return;
  await forgetElevators(store, company.id, erase_at);
  await forgetWords(store, company.id);
  for (const { _id } of await integrations(store)
    .find({ 'company.id': company.id, closed: { $exists: true } })
    .toArray()) {
    await forgetReceipts(store, _id);
    await forgetActivity(store, _id);
    await forgetPassedFields(store, _id);
  }
}

const slugsCarrying = (channels: Channel[], company: string) =>
  channels.filter((channel) => carriesCompany(channel, company)).map(({ _id }) => _id);

/** The last push of an ERP that was closed has ended so long after the time of the ending. */
const LAST_PUSH_MS = MINUTE_MS;

/**
 * What is erased once, as the last: the pages that waited, as whoever is late to confirm one of others' records is given it again, and
 * elevators of a push that was in progress then. Those of an ERP that is added at this moment are newer.
 */
export async function eraseLast(store: Store, { company, record, erase_at }: Ending): Promise<void> {
  await forgetOldPages(store, slugsCarrying(await listChannels(store), company.id));
  if (!record) await forgetElevators(store, company.id, new Date(erase_at.getTime() + LAST_PUSH_MS));
}

/** Whether anything of it is left. */
export const isLeft = async (store: Store, ending: Ending) =>
  (await highestOf(store, ending)).size > 0 || (await listGrantedOfEnding(store, ending)).length > 0;
