import { csvRow, UTF8_MARK } from '../../domain/text/inert-cell';
import { copiedFields, type Copy, isSaid, labelOf, recordOf, type SentRecord, inWords } from './copy-words';

/** Writes CSV for a spreadsheet: each type under a row of its columns' names, with a blank row before. */
export async function* copyTable({ texts, batches }: Copy): AsyncGenerator<string> {
  yield UTF8_MARK;
  let type = '';
  for await (const batch of batches) {
    const columns = copiedFields(batch.type);
    if (batch.type !== type) {
      const names = [...columns.map((name) => labelOf(name, texts)), texts.copied.more];
      yield `${type && '\r\n'}${csvRow([texts.copied.types[batch.type]])}${csvRow(names)}`;
    }
    type = batch.type;
    const cellsOf = (record: SentRecord) => [
      ...columns.map((name) => (isSaid(record[name]) ? inWords(name, record[name], texts) : '')),
      inWords(
        '',
        Object.fromEntries(Object.entries(record).filter(([name]) => !columns.includes(name))),
        texts,
      ),
    ];
    yield batch.records.map((one) => csvRow(cellsOf(recordOf(one)))).join('');
  }
}
