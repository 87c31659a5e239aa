import type { ClientSession } from 'mongodb';
import type { PushedRecord } from '../domain/validate-push';
import type { Store } from './connect';

/** A location: stored and shown to operators, not fed. */
export interface ElevatorDocument {
  /** `<company_id>-<id>` */
  _id: string;
  company_id: string;
  /** The JSON as pushed: as bytes, because its keys are the ERP's own (`$`, dots, `_bsontype`). */
  json: Buffer;
  updated_at: Date;
}

const elevators = (store: Store) => store.db.collection<ElevatorDocument>('elevators');

export async function writeElevators(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session: ClientSession,
): Promise<void> {
  const updated_at = new Date();
  await elevators(store).bulkWrite(
    pushed.map((elevator) => ({
      replaceOne: {
        filter: { _id: `${companyId}-${elevator.id}` },
        replacement: { company_id: companyId, json: Buffer.from(JSON.stringify(elevator)), updated_at },
        upsert: true,
      },
    })),
    { ordered: false, session },
  );
}

export async function listElevators(store: Store, companyId?: string): Promise<ElevatorDocument[]> {
  return elevators(store)
    .find(companyId === undefined ? {} : { company_id: companyId })
    .sort({ _id: 1 })
    .toArray();
}
