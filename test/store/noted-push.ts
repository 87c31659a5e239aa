import { createHash } from 'node:crypto';
import { renderRecord } from '../../domain/render-record';
import type { PushedRecord } from '../../domain/validate-push';
import type { RenderedPush } from '../../store/push/rendered-push';
import { COMPANY } from '../setup/push-records';

/** A push of three records of two types, all with the same note, which is also its request id. */
export function notedPush(note: string): RenderedPush {
  const render = (type: 'contracts' | 'tickets', id: string) =>
    renderRecord(type, { id, account_id: '1001', note } as PushedRecord, COMPANY);
  return {
    receiptId: `agris/${note}`,
    bodyHash: createHash('sha256').update(note).digest(),
    companyId: COMPANY.id,
    records: {
      accounts: [],
      contracts: [render('contracts', note)],
      tickets: [render('tickets', `${note}-1`), render('tickets', `${note}-2`)],
      settlements: [],
    },
    elevators: [],
  };
}
