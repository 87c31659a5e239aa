/** Something the operator should know beside the answer; stdout stays clean for programs. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
