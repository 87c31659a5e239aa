import { timeNow } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { Access } from '../../domain/settings/access';
import type { Store } from '../store';
import { flawOfToken, hashToken, newToken } from './tokens';
import { isDuplicateKey } from '../unavailable';

/** What an operator may do on `/ops`: look, or act too. */
export type OperatorRole = 'read' | 'operate';

/** A person who may see every channel, identified by a token. */
export interface Operator {
  /** Not the name: an operator added again under a name inherits nothing. */
  _id: string;
  name: string;
  token_hash: string;
  role: OperatorRole;
  created_at: Date;
  access?: Access;
}

/** The name is taken; the recorded actions under a name must be one person's. */
export class OperatorExists extends Error {
  override name = 'OperatorExists';
}

export const operators = (store: Store) => store.db.collection<Operator>('operators');

export const operatorIndexes = [
  { name: 'name', key: { name: 1 }, unique: true },
  { name: 'token', key: { token_hash: 1 }, unique: true },
];

/**
 * @returns the operator and their token, which is shown only now
 * @throws OperatorExists
 */
export async function addOperator(
  store: Store,
  name: string,
  role: OperatorRole,
  access?: Access,
): Promise<{ operator: Operator; token: string }> {
  const token = newToken('operator', store);
  const operator = {
    ...{ _id: randomUUID(), name, role, token_hash: hashToken(token), created_at: timeNow() },
    ...(access && { access }),
  };
  try {
    await operators(store).insertOne(operator);
  } catch (error) {
    throw isDuplicateKey(error) ? new OperatorExists(`operator ${name} exists already`) : error;
  }
  return { operator, token };
}

/** An operator without a role, as after an edit by hand, may only look. */
export const roleOf = ({ role }: Partial<Pick<Operator, 'role'>>): OperatorRole =>
  role === 'operate' ? role : 'read';

export async function listOperators(store: Store): Promise<Operator[]> {
  return operators(store).find().sort({ created_at: 1 }).toArray();
}

/** The operator's sessions end too. @returns false when there is no operator of that name */
export async function removeOperator(store: Store, name: string): Promise<boolean> {
  return (await operators(store).deleteOne({ name })).deletedCount === 1;
}

export async function findOperatorById(store: Store, id: string): Promise<Operator | null> {
  return operators(store).findOne({ _id: id });
}

/** Looked up by hash, so no secret is compared byte by byte. */
export async function findOperatorByToken(store: Store, token: string): Promise<Operator | null> {
  if (flawOfToken(token, 'operator', store)) return null;
  return operators(store).findOne({ token_hash: hashToken(token) });
}
