// OWASP, "CSV Injection".
const FORMULA = /^[=+\-@\t\r]/;
const FIGURE = /^-?\d+(\.\d+)?$/;

/** The text of a cell that no spreadsheet runs: one that it would take for a formula begins with an apostrophe. Figures stay. */
export const inertCell = (text: string) => (FORMULA.test(text) && !FIGURE.test(text) ? `'${text}` : text);
