/** `{ "data[0].update-elevators.elevators[3].phone": ["must be ..."] }`, the error body's `validation_messages`. */
export type ValidationMessages = Record<string, string[]>;

/** Messages per response (docs/contract.md A2). */
export const MAX_MESSAGES = 100;

/** Collects messages until it is full, so that a body full of errors costs no more than a valid one. */
export class MessageCollector {
  private readonly byPath = new Map<string, string[]>();
  private count = 0;

  get full(): boolean {
    return this.count >= MAX_MESSAGES;
  }

  get empty(): boolean {
    return this.count === 0;
  }

  add(path: string, message: string): void {
    const messages = this.byPath.get(path) ?? [];
    if (this.full || messages.includes(message)) return;
    messages.push(message);
    this.byPath.set(path, messages);
    this.count++;
  }

  messages(): ValidationMessages {
    return Object.fromEntries(this.byPath);
  }
}
