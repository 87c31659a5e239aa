/** The process that reads the settings. Each is given only the keys that it needs (docs/decisions/0024). */
export type Part = 'api' | 'worker' | 'gdx';

/** What a rule knows besides its own setting. */
export interface Given {
  production: boolean;
  part: Part;
  /** The texts of all settings in force, and the rest of the environment. */
  texts: Readonly<Record<string, string | undefined>>;
}

/** The processes that need a setting. In development it is needed only where it is `for` a provider. */
interface Needed {
  by: readonly Part[];
  for?: 'webhook' | 'twilio';
  /** The setting that makes this one unnecessary. */
  unless?: string;
  /** The end of the message: how to make one. */
  how?: string;
}

/** The rules of a setting. They add every problem to `problems`, so that all are reported at once. */
interface Rules<T> {
  /** Makes its value. Left out: the value is the text or the number itself. */
  read?: (text: string, problems: string[], given: Given) => T;
  /** The part that `gdx config` hides: all of it, or of a URL everything after the host. */
  secret?: 'whole' | 'path';
  /** A text for people in any language, which may contain invisible characters. */
  isProse?: true;
  needed?: Needed;
  /** The one process that reads it: another ignores it. `gdx` reads all, as it looks after all. Left out: API and worker. */
  of?: Part;
  /** The process that must not have it in production, and the reason. */
  never?: { to: Part; because: string };
  /** A secret that in Kubernetes the API alone is given: `gdx` does not miss it. */
  isOfApiAlone?: true;
  /** The reason why production must not start with it. */
  unsafe?: (text: string, given: Given) => Unsafe | Unsafe[];
  /** The reason why it is refused outside production, unless `GDX_CLOSED_NETWORK` is set. */
  unsafeInDevelopment?: (text: string, given: Given) => Unsafe;
}

/** The danger, and what to do; false or undefined when there is none. */
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
  rules: Rules<number> = {},
): Setting<number> & { default: number } => ({
  type: 'integer',
  description,
  default: fallback,
  ...range,
  ...rules,
});

export const choiceSetting = <T extends string>(
  names: readonly T[],
  description: string,
  fallback: T,
  rules: Rules<T> = {},
) => {
  const anyOf = names.map((name) => ({ const: name, type: 'string' }));
  return { anyOf, description, default: fallback, ...rules } as Setting<T>;
};

/** Whether a process reads a setting. What it does not read, docker-compose and the manifests do not give it. */
export const isReadBy = (part: Part, { of, never }: Rules<unknown>): boolean =>
  part === 'gdx' || ((of ?? part) === part && never?.to !== part);

/** The problems of a setting that is missing in a process that needs it, or present in one that must not have it. */
export function misgiven(name: string, { needed, never }: Rules<unknown>, given: Given): string[] {
  const { production, part, texts } = given;
  if (never?.to === part && production && texts[name]) return [never.because];
  if (!needed?.by.includes(part) || texts[name] || texts[needed.unless ?? '']) return [];
  if (needed.for ? texts.GDX_SMS_PROVIDER !== needed.for : !production) return [];
  const when = needed.for ? `for GDX_SMS_PROVIDER=${needed.for}` : 'in production';
  return [`${name} must be set ${when}${needed.how ?? ''}`];
}

/** The dangers of a setting in force. */
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
