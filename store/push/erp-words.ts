import type { ClientSession } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { ErpWord, Passed, Words } from '../../domain/records/erp-word';
import type { Store } from '../store';
import type { ValidPush } from './valid-push';

/** What the ERP of a company has said of a type, each with the counter's position at that moment: no record before it lies higher. */
export interface ErpWords {
  /** `<company id>/<type>` */
  _id: string;
  type: EntityType;
  /** The highest of these positions. */
  last: number;
  said: { through: ErpWord; position: number }[];
}

// A customer who is behind by more changes of the word is told the next one that it has confirmed.
const MOST_SAID = 40;

const erpWords = (store: Store) => store.db.collection<ErpWords>('erp_words');

export const erpWordIndexes = [{ name: 'type', key: { type: 1, last: 1 } }];

/** @param position of the type's counter, as this transaction leaves it */
export async function writeWords(
  store: Store,
  type: EntityType,
  pushes: readonly ValidPush[],
  position: number,
  session: ClientSession,
): Promise<void> {
  for (const { companyId, words } of pushes) {
    const through = words?.[type];
    if (through === undefined) continue;
    const _id = `${companyId}/${type}`;
    const known = await erpWords(store).findOne({ _id }, { session });
    if (known?.said.at(-1)?.through === through) continue;
    const said = { $each: [{ through, position }], $slice: -MOST_SAID };
    const set = { $set: { type, last: position }, $push: { said } };
    await erpWords(store).updateOne({ _id }, set, { upsert: true, session });
  }
}

/** The latest words of all that were said at these positions or before. @returns by company, of the types that have one */
export async function readWords(
  store: Store,
  session: ClientSession,
): Promise<(company: string, passed: Passed) => Words> {
  const found = await erpWords(store).find({}, { session }).toArray();
  const all = new Map(found.map(({ _id, said }) => [_id, said]));
  return (company, passed) =>
    Object.fromEntries(
      ENTITY_TYPES.flatMap((type) => {
        const upTo = passed[type] ?? -1;
        const last = all.get(`${company}/${type}`)?.findLast(({ position }) => position <= upTo);
        return last ? [[type, last.through]] : [];
      }),
    );
}

/** What was said of a type above a position: mostly nothing. */
export const readWordsAbove = (
  store: Store,
  type: EntityType,
  after: number,
  session: ClientSession,
): Promise<ErpWords[]> =>
  erpWords(store)
    .find({ type, last: { $gt: after } }, { session })
    .toArray();

/** The last word of each company above `after`, up to `upTo`. */
export const wordsBetween = (all: ErpWords[], after: number, upTo: number): [string, ErpWord][] =>
  all.flatMap(({ _id, type, said }) => {
    const last = said.findLast(({ position }) => after < position && position <= upTo);
    return last ? [[_id.slice(0, -type.length - 1), last.through]] : [];
  });

/** Those of a company that is erased. */
export async function forgetWords(store: Store, company: string): Promise<void> {
  await erpWords(store).deleteMany({ _id: { $in: ENTITY_TYPES.map((type) => `${company}/${type}`) } });
}
