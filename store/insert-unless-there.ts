import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { DUPLICATE_KEY } from './unavailable';

/** Inserts all of it, in no order; what is there stays as it is. @returns what met a duplicate key */
export async function insertUnlessThere<T extends Document>(
  collection: Collection<T>,
  documents: T[],
): Promise<T[]> {
  if (documents.length === 0) return [];
  try {
    await collection.insertMany(documents as OptionalUnlessRequiredId<T>[], { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
    const errors = [error.writeErrors].flat();
    if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return errors.map(({ index }) => documents[index]!);
  }
}
