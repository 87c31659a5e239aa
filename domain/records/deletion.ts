import { flag, identifier, instant, object } from './schemas/fields';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A pushed record with an id and `deleted: true` alone. The stored record is deleted and otherwise stays as it is
 * (docs/contract.md E17).
 */
export const deletionSchema = object(
  { id: identifier(), deleted: flag(), deleted_at: instant() },
  { title: 'Deletion', description: 'a deletion' },
);

/** Stands in place of `true` where the request has the record alive before: a stored time of deletion is over. */
const ANEW = 'anew';

/** Whether a pushed record is deleted without a time of deletion. */
export const isUndatedDeletion = ({ deleted, deleted_at }: Fields) =>
  (deleted === true || deleted === ANEW) && deleted_at == null;

export const isDeletedAnew = ({ deleted }: Fields) => deleted === ANEW;

/** What an undated deletion takes from the record before it in the same request: its time, or that it was alive. */
export const deletionAfter = ({ deleted, deleted_at }: Fields): Fields =>
  deleted_at != null ? { deleted_at } : { deleted: deleted === true || ANEW };

/** Whether a pushed record is a deletion without any other field. */
export const isBareDeletion = (record: unknown): boolean =>
  typeof record === 'object' &&
  record !== null &&
  (record as Fields)['deleted'] === true &&
  Object.keys(record).every((key) => key in deletionSchema.properties);
