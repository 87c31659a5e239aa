import type { ClientSession } from 'mongodb';
import type { Store } from '../store';

/** The codes of one channel's links, or of `SHARING_CODES`, which an operator has paused. */
interface PausedCodes {
  _id: string;
  by: string;
  reason: string | null;
  at: Date;
}

const pausedCodes = (store: Store) => store.db.collection<PausedCodes>('paused_codes');

/** Codes that are paused already keep who paused them. */
export async function pauseCodes(store: Store, _id: string, pause: Omit<PausedCodes, '_id'>): Promise<void> {
  await pausedCodes(store).updateOne({ _id }, { $setOnInsert: pause }, { upsert: true });
}

/** @returns whether they were paused */
export async function resumeCodes(store: Store, _id: string): Promise<boolean> {
  return (await pausedCodes(store).deleteOne({ _id })).deletedCount === 1;
}

export async function areCodesPaused(store: Store, _id: string): Promise<boolean> {
  return (await pausedCodes(store).countDocuments({ _id }, { limit: 1 })) === 1;
}

export const listPausedCodes = (store: Store): Promise<PausedCodes[]> =>
  pausedCodes(store).find().sort({ _id: 1 }).toArray();

/** Of a closed channel. */
export async function forgetPausedCodes(store: Store, _id: string, session?: ClientSession): Promise<void> {
  await pausedCodes(store).deleteOne({ _id }, { ...(session && { session }) });
}
