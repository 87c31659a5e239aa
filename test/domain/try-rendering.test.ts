import { MAX_RECORD_MIB, RecordTooLarge } from '../../domain/records/record-too-large';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { tryRendering } from '../../domain/records/try-rendering';

const COMPANY = { id: '42', name: 'Prairie Co-op' };
const LIMIT = MAX_RECORD_MIB * 2 ** 20;

test('a record is as large as it is stored, its last three fields included', () => {
  const ticket = (bytes: number) => ({ id: 'T-1', splits: [], note: 'x'.repeat(bytes) });
  const empty = finishWire(renderRecord('tickets', ticket(0), COMPANY), new Date(), new Date()).length;
  expect(() => tryRendering('tickets', ticket(LIMIT - empty), COMPANY)).not.toThrow();
  expect(() => tryRendering('tickets', ticket(LIMIT - empty + 1), COMPANY)).toThrow(RecordTooLarge);
});
