import { formatCell, type Cell } from './format-cell';

/** Prints one object, one property per line. */
export function printFacts(facts: Record<string, Cell>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  for (const [name, cell] of Object.entries(facts)) {
    process.stdout.write(`${name.padEnd(width)}  ${formatCell(cell)}\n`);
  }
}
