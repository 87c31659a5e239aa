import { formatCell, type Cell } from './format-cell';

/** One line per row below the keys as headings, numbers right-aligned. Every row has the keys of the first. */
export function printTable(rows: Record<string, Cell>[]): void {
  process.stdout.write(formatTable(rows));
}

export function formatTable(rows: Record<string, Cell>[]): string {
  const titles = Object.keys(rows[0] ?? {});
  const columns = titles.map((title) => {
    const cells = rows.map((row) => formatCell(row[title]));
    return {
      lines: [title.toUpperCase(), ...cells],
      width: Math.max(title.length, ...cells.map((cell) => cell.length)),
      toTheRight: rows.every((row) => typeof row[title] === 'number'),
    };
  });
  const line = (index: number) =>
    columns
      .map(({ lines, width, toTheRight }) => {
        const cell = lines[index] as string;
        return toTheRight ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return titles.length === 0 ? '' : [-1, ...rows.keys()].map((row) => `${line(row + 1)}\n`).join('');
}
