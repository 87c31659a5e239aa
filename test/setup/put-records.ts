import type { Store } from '../../store/store';
import { records, type RecordDocument } from '../../store/records/records';

/** What a test says of a stored record; the rest is as a push would have it. */
export type Put = Pick<RecordDocument, 'position'> &
  Partial<Pick<RecordDocument, '_id' | 'company_id' | 'account_ids' | 'left_account_ids' | 'wire'>>;

/** Tickets at positions of the test's own choice, without the counter; their change times rise with their positions. */
export async function putRecords(store: Store, put: Put[]): Promise<void> {
  const documents = put.map(({ position, ...rest }): RecordDocument => ({
    _id: `42-${position}`,
    company_id: '42',
    account_ids: ['42-1001'],
    wire: Buffer.from('{}'),
    position,
    updated_at: changeTimeOf(position),
    created_at: new Date(0),
    deleted_at: null,
    hash: Buffer.from(''),
    render_version: 1,
    ...rest,
  }));
  for (let from = 0; from < documents.length; from += 5_000)
    await records(store, 'tickets').insertMany(documents.slice(from, from + 5_000), { ordered: false });
}

export const changeTimeOf = (position: number) => new Date(Date.UTC(2026, 0, 1) + position);
