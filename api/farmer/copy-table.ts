import { inertCell } from '../../domain/text/inert-cell';
import { copiedFields, type Copy, isSaid, labelOf, recordOf, type SentRecord, inWords } from './copy-words';

// Spreadsheets read UTF-8 where a file begins with it.
const MARK = '\ufeff';

/** Writes CSV for a spreadsheet: each type under a row of its columns' names, with a blank row before. */
export async function* copyTable({ texts, batches }: Copy): AsyncGenerator<string> {
  yield MARK;
  let type = '';
  for await (const batch of batches) {
    const columns = copiedFields(batch.type);
    if (batch.type !== type) {
      const names = [...columns.map((name) => labelOf(name, texts)), texts.copied.more];
      yield `${type && '\r\n'}${rowOf([texts.copied.types[batch.type]])}${rowOf(names)}`;
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
    yield batch.records.map((one) => rowOf(cellsOf(recordOf(one)))).join('');
  }
}

const rowOf = (cells: string[]) => `${cells.map(cellOf).join(',')}\r\n`;

function cellOf(text: string): string {
  const safe = inertCell(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
