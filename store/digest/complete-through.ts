import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { hasCome, PROCESSES_APART_MS, timeIn } from '../../domain/time/elapsed';
import { listIntegrations } from '../callers/integrations';
import { carriesCompany, type Channel, channels, findChannel } from '../channels/channels';
import { getsOf, subscriptions } from '../consent/subscriptions';
import { hasSetAside, listRefused } from '../deliveries/set-aside';
import type { PageWords } from '../../domain/deliveries/render-page';
import type { ErpWord, Words } from '../../domain/records/erp-word';
import { readWords } from '../push/erp-words';
import { readPushActivity } from '../push/push-activity';
import { seeNewest } from '../records/counters';
import { batchesOf, companyOfId, inCompany, records } from '../records/records';
import type { Store } from '../store';
import { listCatching } from '../markers/catch-ups';
import { type Fence, holdsEpoch, type Marker, readMarkers } from '../markers/markers';
import type { Selection } from '../window/selection';

/** One company that a channel carries (docs/contract.md C31). */
export interface CarriedCompany {
  company: string;
  name: string;
  last_push_at: Date | null;
  /** Its last push, where the next one is overdue by its usual interval. */
  silent_since: Date | null;
  complete_through: Date | null;
  /** What its ERP had said by then of the types that the channel has. */
  erp_complete_through: Words;
  set_aside: number;
}

// Where more wait, it is not known of which companies, and what was known stays.
const MOST_WAITING = 1_000;

/** Keeps with the channel which companies are complete now: once a delivery has ended, or a run found nothing to deliver. */
export async function noteComplete(store: Store, slug: string): Promise<void> {
  const complete = await findComplete(store, slug);
  if (complete)
    await channels(store).updateOne(
      { _id: slug, 'complete.at': { $not: { $gt: complete.at } } },
      { $set: { complete } },
    );
}

/**
 * Finds which companies are complete up to now; undefined where too much waits. The time is read first, then the markers, then
 * the records: one that changes meanwhile gets a higher position and is still found above its marker.
 */
async function findComplete(store: Store, slug: string): Promise<Channel['complete']> {
  const at = timeIn(-PROCESSES_APART_MS);
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    const channel = await findChannel(store, slug, session);
    if (!channel) return undefined;
    const own = await readMarkers(store, slug, session);
    // Before what was refused: the last page of a catch-up may refuse something.
    const catching = await listCatching(store, channel, session);
    // A refused version may have taken the place of an earlier one that was not confirmed either: it waits as well.
    const refused = await listRefused(store, channel, session);
    const waiting = new Set(catching.map(companyOfId));
    for (const type of channel.entity_types) {
      const above = await companiesAbove(store, type, own.get(type)?.position ?? 0, session);
      if (above.length > MOST_WAITING) return undefined;
      const ids = refused.filter(({ entity_type }) => entity_type === type).map(({ record }) => record);
      for (const part of batchesOf(ids))
        above.push(
          ...(await records(store, type).distinct('company_id', { _id: { $in: part } }, { session })),
        );
      for (const company of above) if (carriesCompany(channel, company)) waiting.add(company);
    }
    const lately = await listGrantedSince(store, channel, session);
    const before = throughOf(channel, [...own.values()], [...catching, ...lately]);
    const passed = Object.fromEntries(
      channel.entity_types.map((type) => [type, own.get(type)?.position ?? 0]),
    );
    return { at, passed, but: [...waiting].map((company) => ({ company, ...before(company) })) };
  });
}

async function companiesAbove(
  store: Store,
  type: EntityType,
  after: number,
  session: ClientSession,
): Promise<string[]> {
  const found = await records(store, type)
    .find({ position: { $gt: after } }, { projection: { company_id: 1 }, session })
    .sort({ position: 1 })
    .limit(MOST_WAITING + 1)
    .toArray();
  return found.map(({ company_id }) => company_id);
}

/** Up to when a company is complete, and the positions of the markers when that was found out. */
type Through = Omit<NonNullable<Channel['complete']>['but'][number], 'company'>;

/**
 * How far each company was complete when that was last found out. What has come to the channel since then leaves it unknown: a reset,
 * as whoever asks again may have lost a record of which only a later version was ever sent; a type; and accounts of a company.
 */
function throughOf(
  { complete, entity_types }: Pick<Channel, 'complete' | 'entity_types'>,
  own: Marker[],
  accounts: string[],
) {
  const isReset = own.some(({ last_reset }) => last_reset && complete && last_reset.at >= complete.at);
  const isWider = entity_types.some((type) => complete?.passed?.[type] === undefined);
  const begun = new Set(accounts.map(companyOfId));
  return (company: string): Through => {
    if (isReset || isWider || !complete || begun.has(company)) return { through: null };
    const kept = complete.but.find((one) => one.company === company);
    return kept ?? { through: complete.at, passed: complete.passed };
  };
}

/** Accounts that somebody has begun to share since it was last found out what is complete. */
async function listGrantedSince(
  store: Store,
  { _id: channel, scope, complete }: Channel,
  session: ClientSession,
): Promise<string[]> {
  if (scope === 'all' || !complete) return [];
  const lately = { channel, state: 'granted', since: { $gte: complete.at } } as const;
  return subscriptions(store).distinct('account', lately, { session });
}

/** The companies that a channel carries, and of those only the ones of which a farmer shares, where its scope is that. */
export const listCarriedCompanies = (store: Store, channel: Channel): Promise<CarriedCompany[]> =>
  store.client.withSession((session) => listIn(store, channel, session));

async function listIn(store: Store, channel: Channel, session: ClientSession): Promise<CarriedCompany[]> {
  const own = await readMarkers(store, channel._id, session);
  const catching = await listCatching(store, channel, session);
  const lately = await listGrantedSince(store, channel, session);
  const through = throughOf(channel, [...own.values()], [...catching, ...lately]);
  const pushed = await readPushActivity(store);
  const aside = await listRefused(store, channel, session);
  const words = await readWords(store, session);
  const carried = new Map<string, CarriedCompany>();
  for (const { _id, company } of await listIntegrations(store)) {
    if (!carriesCompany(channel, company.id)) continue;
    if (!(await getsOf(store, channel, company.id))) continue;
    const known = carried.get(company.id);
    const { last_at = null, silent_at = null } = pushed.get(_id) ?? {};
    const { through: known_through, passed = {} } = through(company.id);
    const silent_since = silent_at && hasCome(silent_at) ? last_at : null;
    carried.set(company.id, {
      ...{ company: company.id, name: company.name },
      last_push_at: latest(known?.last_push_at, last_at),
      silent_since: latest(known?.silent_since, silent_since),
      complete_through: known_through,
      erp_complete_through: words(company.id, passed),
      set_aside: aside.filter(({ record }) => companyOfId(record) === company.id).length,
    });
  }
  return [...carried.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const latest = (one: Date | null | undefined, other: Date | null) =>
  one && other && one > other ? one : (other ?? one ?? null);

/** A page that ends at a position, and the words of companies that no page before it could make true. */
interface PageWithWords {
  channel: Channel;
  selection: Selection;
  type: EntityType;
  fence: Fence;
  upTo: number;
  said: [company: string, through: ErpWord][];
}

/**
 * Which of these words are true once the page is confirmed (docs/contract.md C32): nothing of the company and type lies above it, was
 * refused or asked for again, or is in a catch-up. The page was read before. Whether a reset has come is read last.
 */
export async function wordsWithPage(
  store: Store,
  { channel, selection, type, fence, upTo, said }: PageWithWords,
  session: ClientSession,
): Promise<PageWords | undefined> {
  const lane = { channel: channel._id, entity_type: type };
  const catching = await listCatching(store, { ...channel, entity_types: [type] }, session);
  const words: [string, ErpWord][] = [];
  for (const [company, through] of said) {
    const isOf = (id: string) => companyOfId(id) === company;
    if (!carriesCompany(channel, company) || catching.some(isOf)) continue;
    if (selection.shared && ![...selection.shared].some(isOf)) continue;
    const above = { company_id: company, position: { $gt: upTo } };
    if (await records(store, type).findOne(above, { projection: { _id: 1 }, session })) continue;
    if (await hasSetAside(store, lane, inCompany(company), session)) continue;
    words.push([company, through]);
  }
  return words.length > 0 && (await holdsEpoch(store, fence)) ? Object.fromEntries(words) : undefined;
}
