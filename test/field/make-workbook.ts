import { crc32 as crcOf, deflateRawSync } from 'node:zlib';

/** A cell of a test's workbook: text, a number, true or false, or XML of its own. */
export type MadeCell = string | number | boolean | undefined | { xml: string; style?: number };

interface MadeSheet {
  name: string;
  rows: readonly (readonly MadeCell[] | undefined)[];
  merges?: readonly string[];
  state?: 'hidden';
  /** By their number from 1. */
  hiddenRows?: readonly number[];
}

/** In the order of the styles: as a number, a day, a time, both, six digits, percent. */
export const STYLES = { number: 0, day: 1, time: 2, both: 3, six: 4, percent: 5 };

const escaped = (text: string) => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const column = (index: number): string =>
  index < 26 ? String.fromCharCode(65 + index) : column(Math.floor(index / 26) - 1) + column(index % 26);

function cellXml(cell: MadeCell, at: string): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string')
    return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  return cell.xml.startsWith('<c') ? cell.xml : `<c r="${at}" s="${cell.style ?? 0}">${cell.xml}</c>`;
}

function sheetXml({ rows, merges = [], hiddenRows = [] }: MadeSheet): string {
  const made = rows.map((cells, index) => {
    const inside = (cells ?? []).map((cell, place) => cellXml(cell, `${column(place)}${index + 1}`)).join('');
    return cells ? `<row r="${index + 1}"${hiddenRows.includes(index + 1) ? ' hidden="1"' : ''}>${inside}</row>` : ''; // prettier-ignore
  });
  const merged = merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('');
  return `<worksheet><sheetData>${made.join('')}</sheetData>${merged && `<mergeCells>${merged}</mergeCells>`}</worksheet>`;
}

const FORMATS = [0, 14, 21, 22, 164, 9].map((id) => `<xf numFmtId="${id}"/>`).join('');

/** A workbook as a program writes it. */
export function makeWorkbook(
  sheets: readonly MadeSheet[],
  { is1904 = false, strings = [] as string[] } = {},
): Buffer {
  const named = sheets.map(({ name, state }, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="r${index}"${state ? ` state="${state}"` : ''}/>`); // prettier-ignore
  const relations = sheets.map(
    (_, index) => `<Relationship Id="r${index}" Target="worksheets/sheet${index}.xml"/>`,
  );
  return zipOf({
    'xl/workbook.xml': `<workbook><workbookPr date1904="${is1904}"/><sheets>${named.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="000000"/></numFmts><cellXfs>${FORMATS}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(sheets.map((sheet, index) => [`xl/worksheets/sheet${index}.xml`, sheetXml(sheet)])),
  });
}

/** @param lie the size that a part is said to have, whatever it has */
export function zipOf(parts: Record<string, string>, lie?: number): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, text] of Object.entries(parts)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crcOf(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(lie ?? content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    bodies.push(Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), fields, place, Buffer.from(name));
    at += 4 + fields.length + Buffer.byteLength(name) + packed.length;
  }
  const end = Buffer.alloc(18);
  const count = Object.keys(parts).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}
