const WORDS_A_MINUTE = 200;
const CHARACTERS_A_MINUTE = 150;

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The time of one who reads every word, types every character and waits for every command. */
export class Stopwatch {
  private words = 0;
  private characters = 0;
  private waitedMs = 0;

  read(text: string): void {
    this.words += wordsOf(text);
  }

  /** @param run what happens when it has been typed, and is waited for */
  async type<T>(commands: string, run: (commands: string) => Promise<T>): Promise<T> {
    this.characters += commands.length;
    const began = performance.now();
    const result = await run(commands);
    this.waitedMs += performance.now() - began;
    return result;
  }

  get minutes(): number {
    return this.words / WORDS_A_MINUTE + this.characters / CHARACTERS_A_MINUTE + this.waitedMs / 60_000;
  }

  toString(): string {
    const { words, characters, waitedMs, minutes } = this;
    const seconds = (waitedMs / 1_000).toFixed(1);
    return `${words} words read, ${characters} characters typed, ${seconds} s waited: ${minutes.toFixed(1)} minutes`;
  }
}
