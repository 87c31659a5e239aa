import type { Document } from 'mongodb';

/** What a command has come to; undefined where nobody knows. */
export type Answered = (answer?: Document) => void;

/** A command to MongoDB. */
export interface Asked {
  name: string;
  collection: string;
  command: Document;
  /** A plan, and a slice of a delivery, read all that they decide by in a session of their own. */
  session: string;
  transaction: Transaction | undefined;
}

export interface Transaction {
  hasWritten: boolean;
  /** Of each counter, the position before, how many were taken, and how many given back. */
  taken: Map<string, { before: number; count: number }>;
  /** What it has asked for, but for records, with the answers. */
  heard: (Asked & { answer: Document })[];
  /** What it has done counts when it is committed. */
  done: (() => void)[];
}

/** A part of what a run is judged by. */
export interface Rules {
  /** @returns to be called with the answer; of a transaction, when that is committed */
  told(asked: Asked): Answered | undefined;
  /** @returns to be called once it is committed */
  committing?(transaction: Transaction): () => void;
}

export const TYPES = new Set(['accounts', 'contracts', 'tickets', 'settlements']);

/** The documents that a `find` has answered. */
export const foundIn = (answer: Document | undefined): Document[] => answer?.['cursor']?.firstBatch ?? [];

/** What a command writes, statement by statement. */
export const writesOf = ({
  name,
  command,
}: Pick<Asked, 'name' | 'command'>): { q: Document; u: Document }[] =>
  name === 'findAndModify'
    ? [{ q: command['query'] ?? {}, u: command['update'] ?? {} }]
    : (command['updates'] ?? []).map(({ q = {}, u = {} }: Document) => ({ q, u }));

const MOST_KEPT = 1_000;

/** Keeps the newest: an hour of a run has many. */
export function keep<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
}
