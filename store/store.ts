import type { Db, MongoClient } from 'mongodb';
import type { Tracing } from '../domain/settings/tracing';
import type { DatabaseClock } from './database-clock';

/** One connection to MongoDB, shared by everything in a process. */
export interface Store {
  client: MongoClient;
  db: Db;
  databaseClock: DatabaseClock;
  /** Told how many pushes were stored in one transaction. */
  onPushGroup?: (pushes: number) => void;
  /** Where traces are on. */
  tracing?: Tracing;
  /** Whether tokens are live ones (`callers/tokens`). */
  production?: boolean;
  /** Encrypts what the API reads again (docs/contract.md O15). 32 bytes; the worker has none. */
  secretKey: Buffer | undefined;
  /** Open what was sealed before the key was rotated. */
  oldSecretKeys?: Buffer[];
  /** Seals what customers have given us; only the worker opens it. */
  customerSecrets: CustomerSecrets;
  /** `prepareStore` loads the database's own; undefined in the worker. */
  hashKeys: HashKeys | undefined;
  /** Hashes what is looked up by value and must stay unreadable. @throws in the worker, which has no secret key */
  readonly hashKey: Buffer;
}

/** Hash farmers' phones, codes and limits. */
export interface HashKeys {
  current: Buffer;
  /** Finds farmers who have not visited since the keys were exchanged. */
  previous: Buffer | undefined;
}

/**
 * Keeps what customers have given us: every process seals, only the worker opens (docs/decisions/0024). Asynchronous, so
 * that a key management service can stand here.
 */
export interface CustomerSecrets {
  /** @param owner associated data: a secret copied to another owner does not open (docs/contract.md O15) */
  seal(owner: string, secret: string): Promise<Buffer>;
  /** @throws CustomerKeyMissing; any other error when the owner differs or a byte was changed */
  unseal(owner: string, sealed: Buffer): Promise<string>;
  /** Whether this process has a key that opens. */
  canOpen: boolean;
  /** Whether it is sealed to the key that new secrets are sealed to. */
  isCurrent(sealed: Buffer): boolean;
}
