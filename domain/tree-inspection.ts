const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_KEY_SHOWN = 64;

export interface Flaw {
  readonly what: string;
  /** `data[0].update-accounts`; empty at the top. */
  readonly path: string;
}

/** Walks a parsed body for what `JSON.parse` lets through (docs/contract.md A7). The depth was checked before. */
export class TreeInspection {
  /** Members of all objects walked. */
  members = 0;
  /** A number of 2^53 or more was seen; the tree does not show how it was written. */
  seesLarge = false;

  /** `surrogates`: whether the text has surrogate escapes; without them no string needs a check. */
  constructor(private readonly surrogates: boolean) {}

  flawOf(value: unknown): Flaw | undefined {
    if (typeof value === 'string') return this.flawOfString(value);
    if (typeof value === 'number') return this.flawOfNumber(value);
    if (typeof value !== 'object' || value === null) return undefined;
    return Array.isArray(value)
      ? this.flawInList(value)
      : this.flawInObject(value as Record<string, unknown>);
  }

  private flawOfString(text: string): Flaw | undefined {
    return this.surrogates && LONE_SURROGATE.test(text) ? flaw('an unpaired surrogate') : undefined;
  }

  private flawOfNumber(number: number): Flaw | undefined {
    if (Math.abs(number) < 2 ** 53) return undefined;
    this.seesLarge = true;
    return Number.isFinite(number) ? undefined : flaw('a number that is not finite');
  }

  private flawInList(list: readonly unknown[]): Flaw | undefined {
    for (let i = 0; i < list.length; i++) {
      const found = this.flawOf(list[i]);
      if (found) return { what: found.what, path: joined(`[${i}]`, found.path) };
    }
    return undefined;
  }

  private flawInObject(object: Record<string, unknown>): Flaw | undefined {
    for (const key in object) {
      this.members++;
      if (key === '__proto__') return flaw('a key "__proto__"');
      const found = this.flawOfString(key) ?? this.flawOf(object[key]);
      if (found) return { what: found.what, path: joined(key.slice(0, MAX_KEY_SHOWN), found.path) };
    }
    return undefined;
  }
}

function flaw(what: string): Flaw {
  return { what, path: '' };
}

function joined(step: string, rest: string): string {
  return rest === '' || rest.startsWith('[') ? step + rest : `${step}.${rest}`;
}
