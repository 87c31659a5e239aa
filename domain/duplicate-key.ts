const MAX_KEY_SHOWN = 64;

/**
 * Names the first duplicate key in a valid JSON text: `duplicate key "id" at data[0].update-accounts`. Slower than
 * parsing, so it is called only when a duplicate is known to exist.
 */
export function duplicateKeyIn(text: string): string {
  const frames: Frame[] = [];
  let keyIsNext = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      const end = endOfString(text, i);
      const key = keyIsNext ? (JSON.parse(text.slice(i, end + 1)) as string) : undefined;
      if (key !== undefined && !frames.at(-1)!.enter(key)) return described(key, frames.slice(0, -1));
      keyIsNext = false;
      i = end;
    } else if (character === '{' || character === '[') {
      keyIsNext = character === '{';
      frames.push(new Frame(keyIsNext));
    } else if (character === '}' || character === ']') frames.pop();
    else if (character === ',') keyIsNext = frames.at(-1)!.next();
  }
  return 'a duplicate key';
}

/** An object or a list that is open at the current character. */
class Frame {
  /** The path segment of its current member: a key, or `[3]`. */
  step: string;
  private readonly keys = new Set<string>();
  private index = 0;

  constructor(private readonly isObject: boolean) {
    this.step = isObject ? '' : '[0]';
  }

  /** False when the object has the key already. */
  enter(key: string): boolean {
    this.step = key.slice(0, MAX_KEY_SHOWN);
    const before = this.keys.size;
    return this.keys.add(key).size > before;
  }

  /** Moves past a comma. @returns whether a key follows */
  next(): boolean {
    if (!this.isObject) this.step = `[${++this.index}]`;
    return this.isObject;
  }
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}

function described(key: string, frames: readonly Frame[]): string {
  const path = frames.map(({ step }) => (step.startsWith('[') ? step : `.${step}`)).join('');
  return `duplicate key ${JSON.stringify(key.slice(0, MAX_KEY_SHOWN))} at ${path.replace(/^\./, '') || 'the top'}`;
}
