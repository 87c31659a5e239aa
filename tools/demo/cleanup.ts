/** `failed`: keeps what explains the failure. */
type Step = (failed: boolean) => Promise<unknown>;

/** Cleanup steps that always run at the end, in reverse order. */
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
