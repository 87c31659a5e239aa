import type { RecordType } from './commands';
import { refuseTooLarge } from './record-too-large';
import { type Company, finishWire, renderRecord } from './render-record';
import type { PushedRecord } from './validate-push';

/** Renders a record without storing it. @throws RecordTooLarge as storing it would */
export function tryRendering(type: RecordType, record: PushedRecord, company: Company): void {
  if (type === 'elevators') {
    const bytes = Buffer.byteLength(JSON.stringify(record));
    return refuseTooLarge(type, { id: `${company.id}-${record.id}`, bytes });
  }
  const rendered = renderRecord(type, record, company);
  const { id, account_ids, phones } = rendered;
  refuseTooLarge(type, { id, bytes: finishWire(rendered, 0, 0).length, lists: [account_ids, phones] });
}
