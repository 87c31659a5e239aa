import { formatCell, type Cell } from './format-cell';

/** One thing, one fact a line. */
export function printFacts(facts: Record<string, Cell>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  for (const [name, cell] of Object.entries(facts)) {
    process.stdout.write(`${name.padEnd(width)}  ${formatCell(cell)}\n`);
  }
}
