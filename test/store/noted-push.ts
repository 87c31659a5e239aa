import { createHash } from 'node:crypto';
import { RecordToRender } from '../../domain/records/record-to-render';
import type { PushedRecord } from '../../domain/records/validate-push';
import type { ValidPush } from '../../store/push/valid-push';
import { COMPANY } from '../setup/push-records';

/** A push of three records of two types, all with the same note, which is also its request id. */
export function notedPush(note: string): ValidPush {
  const record = (type: 'contracts' | 'tickets', id: string) =>
    new RecordToRender(type, { id, account_id: '1001', note } as PushedRecord, COMPANY);
  return {
    receiptId: `agris/${note}`,
    bodyHash: createHash('sha256').update(note).digest(),
    companyId: COMPANY.id,
    records: {
      accounts: [],
      contracts: [record('contracts', note)],
      tickets: [record('tickets', `${note}-1`), record('tickets', `${note}-2`)],
      settlements: [],
    },
    elevators: [],
    warnings: { count: 0, messages: {} },
  };
}
