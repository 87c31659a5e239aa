import { timeNow } from '../../domain/time/elapsed';
import type { Store } from '../store';
import { isFirst } from '../unavailable';

/**
 * What somebody changed, and why (docs/contract.md O17). Kept for good, except what a customer did. Those
 * of a channel are on its page; `gdx actions` lists all.
 */
export interface OperatorAction {
  /** A UUID. A second tap on a form has the first one's. */
  _id: string;
  /** Null for what concerns no single channel. */
  channel: string | null;
  /** What a deed of control/ is recorded as; everything else has the words of its `gdx` command. */
  action: string;
  /** The object of the action: "tickets from 2026-10-01T00:00:00.000Z"; empty where there is none. */
  about: string;
  /** What was there before, for whoever has to put it back. */
  before: Before;
  by: string;
  via: '/ops' | 'gdx' | '/customer' | 'API';
  reason: string | null;
  request_id: string;
  at: Date;
  /** Null while the action runs, and for good when the process was killed before its end. */
  outcome: string | null;
  expires_at?: Date;
  /** A farmer was erased from it: shown by nothing, and checked by `gdx actions verify`. */
  erased?: string;
}

/** Settings and states by name; never the value of a secret. */
export type Before = Record<string, string | number | boolean | Date | null | readonly string[]>;

/** The outcome of an action, in a document of its own: what is recorded is added to and never rewritten (docs/contract.md O23). */
interface ActionOutcome {
  /** That of the action, and `/outcome`. */
  _id: string;
  of_channel: string | null;
  outcome: string;
  at: Date;
  expires_at?: Date;
}

const actions = (store: Store) => store.db.collection<OperatorAction>('operator_actions');
const outcomes = (store: Store) => store.db.collection<ActionOutcome>('operator_actions');
const outcomeOf = (id: string) => `${id}/outcome`;

// What an outcome does not have.
const IS_ACTION = { $exists: true };

export const operatorActionIndexes = [
  { name: 'channel', key: { channel: 1, at: -1 } },
  { name: 'newest', key: { at: -1 } },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

/**
 * Records the action before it is carried out, so that none goes unrecorded. @returns false when it was recorded
 * before
 */
export async function openAction(
  store: Store,
  action: Omit<OperatorAction, 'at' | 'outcome'>,
): Promise<boolean> {
  return isFirst(actions(store).insertOne({ ...action, at: timeNow(), outcome: null }));
}

/** Whether it was ever begun through a door of operators. */
export const wasBegun = async (
  store: Store,
  begun: Pick<OperatorAction, 'action' | 'about'>,
): Promise<boolean> => (await actions(store).findOne({ channel: null, ...begun })) !== null;

export async function closeAction(
  store: Store,
  { _id, channel, expires_at }: Pick<OperatorAction, '_id' | 'channel' | 'expires_at'>,
  outcome: string,
): Promise<void> {
  const ends = expires_at && { expires_at };
  await outcomes(store).insertOne({
    _id: outcomeOf(_id),
    of_channel: channel,
    outcome,
    at: timeNow(),
    ...ends,
  });
}

/** Newest first. @param channel undefined: all actions, even those of no channel @param vias only through these doors */
export async function listActions(
  store: Store,
  channel: string | undefined,
  limit: number,
  vias?: readonly OperatorAction['via'][],
): Promise<OperatorAction[]> {
  const filter = { channel: channel ?? IS_ACTION, ...(vias && { via: { $in: vias } }) };
  const found = await actions(store).find(filter).sort({ at: -1 }).limit(limit).toArray();
  const ids = found.map(({ _id }) => outcomeOf(_id));
  const ended = await outcomes(store)
    .find({ _id: { $in: ids } })
    .toArray();
  const said = new Map(ended.map(({ _id, outcome }) => [_id, outcome]));
  // Earlier releases wrote the outcome into the action.
  return found.map((action) => ({ ...action, outcome: said.get(outcomeOf(action._id)) ?? action.outcome }));
}

type Texts = Pick<OperatorAction, 'about' | 'before' | 'reason' | 'outcome'>;

/** What says of an action, without the farmer, that it was changed to erase them. */
type MarkOf = (action: Pick<OperatorAction, '_id' | 'at'>) => string;

const ERASED = '[erased]';

/**
 * Takes a farmer who is erased out of what was recorded: their phone, wherever somebody has typed it, and the partner_ids that
 * they shared under. Earlier releases recorded last digits of phones with unlocks and revokes: the first erasure removes those
 * of every farmer.
 */
export async function eraseFromActions(
  store: Store,
  shared: { channel: string; partner_id: string }[],
  phone: string | undefined,
  markOf: MarkOf,
): Promise<void> {
  const projection = { channel: 1, action: 1, about: 1, before: 1, reason: 1, outcome: 1 } as const;
  const patterns = new Map<string | null, RegExp[]>();
  await eraseFromOutcomes(store, (channel) => patternsOf(channel, shared, phone), markOf);
  for await (const action of actions(store).find({ channel: IS_ACTION }, { projection })) {
    const { channel } = action;
    if (!patterns.has(channel)) patterns.set(channel, patternsOf(channel, shared, phone));
    const left = withoutFarmer(action, patterns.get(channel)!);
    const changed = Object.entries(left).filter(
      ([name, text]) => JSON.stringify(text) !== JSON.stringify(action[name as keyof Texts]),
    );
    if (changed.length > 0) await rewrite(store, action._id, Object.fromEntries(changed), markOf);
  }
}

async function eraseFromOutcomes(
  store: Store,
  wordsOf: (channel: string | null) => RegExp[],
  markOf: MarkOf,
): Promise<void> {
  for await (const { _id, of_channel, outcome } of outcomes(store).find({ of_channel: IS_ACTION })) {
    const left = without(outcome, wordsOf(of_channel));
    if (left !== outcome) await rewrite(store, _id, { outcome: left }, markOf);
  }
}

/** Marks it with the change, so that `gdx actions verify` knows whose it was. */
async function rewrite(store: Store, _id: string, left: Partial<Texts>, markOf: MarkOf): Promise<void> {
  const whole = await actions(store).findOne({ _id });
  if (!whole) return; // a customer's, which has expired
  const erased = markOf({ ...whole, ...left });
  await actions(store).updateOne({ _id }, { $set: { ...left, erased } });
}

const without = (text: string, words: RegExp[]) =>
  words.reduce((left, word) => left.replace(word, ERASED), text);

function withoutFarmer({ action, ...texts }: Texts & Pick<OperatorAction, 'action'>, words: RegExp[]): Texts {
  const clean = <T>(text: T) => (typeof text === 'string' ? without(text, words) : text);
  const { about, before, reason, outcome } = texts;
  const cleaned = Object.entries(before).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(clean) : clean(value),
  ]);
  return {
    about: action === 'farmer unlock' ? '' : clean(about),
    before: withoutShared(Object.fromEntries(cleaned) as Before),
    reason: clean(reason),
    outcome: clean(outcome),
  };
}

/** Earlier releases recorded each grant that was revoked as `policy-1, …42`. */
function withoutShared({ shared, ...before }: Before): Before {
  return Array.isArray(shared) ? { ...before, grants: shared.length } : before;
}

function patternsOf(
  of: string | null,
  shared: { channel: string; partner_id: string }[],
  phone: string | undefined,
): RegExp[] {
  const ids = shared
    .filter(({ channel }) => of === null || channel === of)
    .map(({ partner_id }) => partner_id);
  const patterns = [...new Set(ids)].map((id) => wholeWord(id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')));
  if (phone === undefined) return patterns;
  const [area, exchange, line] = [phone.slice(0, 3), phone.slice(3, 6), phone.slice(6)];
  return [...patterns, wholeWord(`${area}[^\\p{L}\\p{N}]{0,3}${exchange}[^\\p{L}\\p{N}]{0,3}${line}`)];
}

const wholeWord = (pattern: string) => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'gu');
