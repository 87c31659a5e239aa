// OWASP, "CSV Injection".
const FORMULA = /^[=+\-@\t\r]/;
const FIGURE = /^-?\d+(\.\d+)?$/;

/** Spreadsheets read UTF-8 where a file begins with it. */
export const UTF8_MARK = '\ufeff';

/** The text of a cell that no spreadsheet runs: one that it would take for a formula begins with an apostrophe. Figures stay. */
export const inertCell = (text: string) => (FORMULA.test(text) && !FIGURE.test(text) ? `'${text}` : text);

/** A row of CSV (RFC 4180) with inert cells. */
export const csvRow = (cells: readonly string[]) =>
  `${cells.map((text) => quoted(inertCell(text))).join(',')}\r\n`;

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
