/** Which process reads the settings: each is given only the keys that it needs (docs/decisions/0024). */
export type Part = 'api' | 'worker' | 'gdx';

/** What a rule may look at beside its own setting. */
export interface Given {
  production: boolean;
  part: Part;
  /** The text of every setting in force, and what else is in the environment. */
  texts: Readonly<Record<string, string | undefined>>;
}

/** Who must be given a setting; in development only where it is `for` a provider. */
interface Needed {
  by: readonly Part[];
  for?: 'webhook' | 'twilio';
  /** Where that one is given, this one is not needed. */
  unless?: string;
  /** Behind the message. */
  how?: string;
}

/** Everything about a setting but its form. Rules add what is wrong to `problems`, so that all is reported at once. */
interface Rules<T> {
  /** Its value; left out: as it is written. */
  read?: (text: string, problems: string[], given: Given) => T;
  /** What `gdx config` hides: all of it, or of a URL what follows the host. */
  secret?: 'whole' | 'path';
  /** People read it, in any language: characters that are not seen may be in it. */
  isProse?: true;
  needed?: Needed;
  /** Who must not be given it in production, and why. */
  never?: { to: Part; because: string };
  /** Why production must not start with it. */
  unsafe?: (text: string, given: Given) => Unsafe | Unsafe[];
  /** Why it is only safe on this machine, where no network is closed. */
  unsafeInDevelopment?: (text: string, given: Given) => Unsafe;
}

/** What is unsafe, and what to do. */
export type Unsafe = string | false | undefined;

/** A row of the table of settings: a JSON schema with the default and one sentence, and its rules. */
export interface Setting<T = unknown> extends Rules<T> {
  type?: 'string' | 'integer';
  anyOf?: { const: string; type: 'string' }[];
  default: string | number;
  description: string;
  minimum?: number;
  maximum?: number;
}

export const textSetting = <T = string>(description: string, rules: Rules<T> & { default?: string } = {}) =>
  ({ type: 'string', description, default: '', ...rules }) as Setting<T>;

export const numberSetting = (
  description: string,
  fallback: number,
  range: { minimum: number; maximum: number },
): Setting<number> & { default: number } => ({ type: 'integer', description, default: fallback, ...range });

export const choiceSetting = <T extends string>(
  names: readonly T[],
  description: string,
  fallback: T,
  rules: Rules<T> = {},
) => {
  const anyOf = names.map((name) => ({ const: name, type: 'string' }));
  return { anyOf, description, default: fallback, ...rules } as Setting<T>;
};

/** Whether a setting is given to who needs it, and to nobody who must not have it. */
export function misgiven(name: string, { needed, never }: Rules<unknown>, given: Given): string[] {
  const { production, part, texts } = given;
  if (never?.to === part && production && texts[name]) return [never.because];
  if (!needed?.by.includes(part) || texts[name] || texts[needed.unless ?? '']) return [];
  if (needed.for ? texts.GDX_SMS_PROVIDER !== needed.for : !production) return [];
  const when = needed.for ? `for GDX_SMS_PROVIDER=${needed.for}` : 'in production';
  return [`${name} must be set ${when}${needed.how ?? ''}`];
}

/** What of a setting in force is unsafe. */
export function unsafeOf(
  { unsafe, unsafeInDevelopment }: Rules<unknown>,
  value: string,
  given: Given,
): string[] {
  const found = given.production
    ? unsafe?.(value, given)
    : !given.texts.GDX_CLOSED_NETWORK && unsafeInDevelopment?.(value, given);
  return [found].flat().flatMap((what) => what || []);
}
