import { randomUUID } from 'node:crypto';
import type { Store } from './connect';
import { hashToken, isTokenShaped, newToken } from './tokens';
import { isDuplicateKey } from './unavailable';

/** Somebody who may see and run every channel, known by a token of his own. */
export interface Operator {
  /** Not the name: whoever is added again under a name has nothing of the one before. */
  _id: string;
  name: string;
  token_hash: string;
  created_at: Date;
}

/** The name is taken; what was done under it must stay one person's. */
export class OperatorExists extends Error {
  override name = 'OperatorExists';
}

const operators = (store: Store) => store.db.collection<Operator>('operators');

export const operatorIndexes = [
  { name: 'name', key: { name: 1 }, unique: true },
  { name: 'token', key: { token_hash: 1 }, unique: true },
];

/**
 * @returns the operator and his token, which is shown this once
 * @throws OperatorExists
 */
export async function addOperator(
  store: Store,
  name: string,
): Promise<{ operator: Operator; token: string }> {
  const token = newToken('operator');
  const operator = { _id: randomUUID(), name, token_hash: hashToken(token), created_at: new Date() };
  try {
    await operators(store).insertOne(operator);
  } catch (error) {
    throw isDuplicateKey(error) ? new OperatorExists(`operator ${name} exists already`) : error;
  }
  return { operator, token };
}

export async function listOperators(store: Store): Promise<Operator[]> {
  return operators(store).find().sort({ created_at: 1 }).toArray();
}

/** His sessions end with him. @returns false when there is none of that name */
export async function removeOperator(store: Store, name: string): Promise<boolean> {
  return (await operators(store).deleteOne({ name })).deletedCount === 1;
}

export async function findOperator(store: Store, id: string): Promise<Operator | null> {
  return operators(store).findOne({ _id: id });
}

/** Found by the hash, so nothing secret is compared byte by byte. */
export async function findOperatorByToken(store: Store, token: string): Promise<Operator | null> {
  if (!isTokenShaped(token, 'operator')) return null;
  return operators(store).findOne({ token_hash: hashToken(token) });
}
