/** A remark for the operator, on stderr: stdout stays machine-readable. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
