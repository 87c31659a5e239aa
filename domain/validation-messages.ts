/** `{ "data[0].update-elevators.elevators[3].phone": ["must be ..."] }`, the error body's `validation_messages`. */
export type ValidationMessages = Record<string, string[]>;

/** At most this many in one answer (contract 1). */
export const MAX_MESSAGES = 100;

/** Gathers messages and says when to stop looking, so that a body of nothing but errors costs no more than a good one. */
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
