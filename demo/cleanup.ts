/** `failed`: what explains the failure is to be left. */
type Step = (failed: boolean) => Promise<unknown>;

/** What is to be undone at the end, whatever the end is: last done, first undone. */
export class Cleanup {
  private readonly steps: Step[] = [];

  add(step: Step): void {
    this.steps.push(step);
  }

  async run(failed: boolean): Promise<void> {
    for (const step of this.steps.reverse()) {
      await step(failed).catch((error: Error) => process.stderr.write(`cleaning up: ${error.message}\n`));
    }
  }
}
