/** What came of reading a run. */
export class Findings {
  /** What the models do not allow, the first of it first. */
  readonly broken: string[] = [];
  /** How many steps of the models were seen. */
  steps = 0;

  /** @param rule the mutant of the model that leaves it out */
  refuse(rule: string, why: string): void {
    this.broken.push(`${rule}: ${why}`);
  }
}
