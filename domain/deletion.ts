import { flag, identifier, instant, object } from './schemas/fields';

type Fields = Readonly<Record<string, unknown>>;

/** A record that says no more than that it is deleted: the stored one is, and stays as it is (docs/contract.md E17). */
export const deletionSchema = object(
  { id: identifier(), deleted: flag(), deleted_at: instant() },
  { title: 'Deletion', description: 'a deletion' },
);

/** Whether a pushed record says that it is deleted, and not when. */
export const isUndatedDeletion = ({ deleted, deleted_at }: Fields) => deleted === true && deleted_at == null;

/** Whether it says nothing else. */
export const isBareDeletion = (record: unknown): boolean =>
  typeof record === 'object' &&
  record !== null &&
  (record as Fields)['deleted'] === true &&
  Object.keys(record).every((key) => key in deletionSchema.properties);
