import type { TObject, TSchema } from '@sinclair/typebox';
import { formatInstant } from '../domain/time/instants';
import type { Channel } from '../store/channels/channels';
import type { Asker, Parts, Result } from './record-action';

/** What is wrong with a field, in words that follow its name: "must be ...". */
export interface Flaw {
  says: string;
  /** What to do instead, for people. */
  advice?: string;
  /** Where within the field: "[3]". */
  at?: string;
  /** It is a whole sentence, and no name goes before it. */
  isWhole?: true;
}

export const flaw = (says: string, more: Omit<Flaw, 'says'> = {}): Flawed => new Flawed({ says, ...more });

/** What reading a field gives in place of its value. */
export class Flawed {
  constructor(readonly flaw: Flaw) {}
}

/** A deed that cannot be done now, because of a field. Nothing was recorded, nothing was done. */
export class Refused extends Error {
  override name = 'Refused';

  /** @param waitMs after this long it may be asked again */
  constructor(
    readonly field: string,
    readonly flaw: Flaw,
    readonly waitMs = 0,
  ) {
    super(flaw.says);
  }
}

/** The flaw as a sentence for people, such as "The account must be an id as the feed shows it". */
export function sayFlaw({ input }: AnyDeed, name: string, { says, isWhole, advice }: Flaw): string {
  const subject = (input[name] as Field<unknown> | undefined)?.form?.subject ?? name;
  const sentence = isWhole ? says.charAt(0).toUpperCase() + says.slice(1) : `${subject} ${says}`;
  return advice ? `${sentence}: ${advice}` : sentence;
}

/** One member of a deed's input: its rule, and the prose of each door. */
export interface Field<T> {
  /** In `/openapi.json`. */
  schema: TSchema;
  /** Of a field that the API has in the path, and not in the body. */
  path?: { says: string; sample: string };
  /** Of `gdx`: an argument of the field's name, or with `flags` an option. */
  gdx: { flags?: string; says?: string; choices?: readonly string[]; isList?: true };
  /** In a form: its label, and its name in a sentence. Without it, no form has the field. */
  form?: {
    /** Without it, the page draws the field elsewhere. */
    label?: string;
    subject?: string;
    choices?: (channel: Channel) => readonly string[];
    input?: { type: string; step?: string; required?: true; maxLength?: number };
    filled?: (channel: Channel) => string;
    /** It is sent as often as the page has it, and all are read. */
    isList?: true;
    /** Makes what a browser sends into what the API is given. */
    typed?: (text: string) => string;
  };
  /** @param given JSON, or a word that somebody typed; undefined and null where there is none */
  read(given: unknown): T | Flawed;
  /** Judges by the channel what was read. */
  fits?(value: T, channel: Channel): Flawed | undefined;
  /** What an API, a form's hidden field and a list of facts show of it. */
  show(value: T): string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of whichever value
type Fields = Record<string, Field<any>>;
export type Input<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };

/** A schema of `/openapi.json` by its name, with the prose beside it and samples by name. */
type Described = readonly [schema: string, says: string, samples: Readonly<Record<string, object>>];

/**
 * One deed on a channel. The JSON API, the reference, the pages and `gdx` are made from its row: none of them can say
 * anything else. A door that is left out does not have it.
 */
export interface Deed<F extends Fields, Effect> {
  /** What it is recorded as, the last part of its path on a page, and the first part of the ids in its form. */
  name: string;
  /** The name under which the customers' page records it, where it differs. */
  recorded?: string;
  /** It is done to a closed channel as well. */
  ofClosed?: true;
  /** In the order of the command line. */
  input: F;
  /** Fields of which each was read and that are judged together; the first one is named. */
  together?: { fields: readonly string[]; judge(input: Input<F>): Flawed | undefined };
  api?: {
    id: string;
    tag: 'markers' | 'digest';
    /** Below the address of the channel. */
    path: string;
    maxBodyBytes: number;
    emptyBody?: string;
    summary: string;
    description: string;
    body: Described;
    answer: Described;
  };
  gdx?: {
    words: readonly string[];
    says: string;
    reason?: 'required';
    /** What it does is done by Temporal alone: that it is away is an error. */
    needsTemporal?: true;
    /** Facts of the channel as it is then, printed in place of what is sent. */
    facts?(channel: Channel, asker: Asker): Record<string, string | number | Date | null>;
    notes?(effect: Effect): string[];
    /** Why nothing was done, although it was asked for. */
    none?(effect: Effect): Flaw | undefined;
  };
  page?: {
    doors: readonly ('operator' | 'channel')[];
    /** Without them, its form is in the list of what it is about. */
    title?: string;
    says?: string;
    /** A customer is not asked why: it changes nothing. */
    whyOfOperators?: true;
    /** What the list of past actions calls it. */
    done: string;
    isOffered?(channel: Channel): boolean;
    /** A page in between shows the effect, and asks: the button to it, its title and its own button. */
    asks?: { open: string; title(input: Input<F>): string; button: string };
    /** Its form is on a page of its own, which a link leads to, and shows what it has made in that answer only. */
    own?: {
      link: string;
      button: string;
      /** It is asked for once: the page has no second form below what was made. */
      isGrave?: true;
      /** The heading, a sentence, and by name each thing that it made. */
      made(effect: Effect): { title: string; says: string; facts: Record<string, string | Date | null> };
      /** To whoever sends the same form again. */
      again: string;
    };
    maxFormBytes?: number;
  };
  /** What the API answers. */
  output?: TObject;
  /** What it would do. It changes nothing and is not recorded. */
  preview?(parts: Parts, channel: Channel, input: Input<F>): Promise<Effect>;
  /** What it sends, for every sentence about it: "This would resend 3 tickets to Acme." */
  sends?: {
    verb: string;
    what(input: Input<F>, effect: Effect): string;
    /** Why nothing would be sent. */
    nothing?(channel: Channel, effect: Effect): string | false;
  };
  /**
   * Records it, then does it (docs/contract.md O17).
   * @param previewed what was shown to whoever asks for it
   * @returns undefined when the same action was recorded before
   * @throws Refused, TooManyActions
   */
  run(
    parts: Parts,
    channel: Channel,
    input: Input<F>,
    asker: Asker,
    previewed?: Effect,
  ): Promise<(Result & Effect) | undefined>;
  /** The answer of the API and of `--json`. */
  answer?(input: Input<F>, effect: Effect): Record<string, unknown>;
}

/** Makes a row: `deed<Effect>()({ ... })`, so that its input is inferred. */
export const deed =
  <Effect extends object = object>() =>
  <F extends Fields>(row: Deed<F, Effect>): Deed<F, Effect> =>
    row;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of whichever input
export type AnyDeed = Deed<any, any>;

/** " on 2026-11-29", of what is closed. */
export const dayClosed = ({ closed }: { closed?: { at: Date } }) =>
  closed ? ` on ${formatInstant(closed.at).slice(0, 10)}` : '';

/** Why nothing can be done to a closed channel. */
export const sayClosed = (channel: Channel) =>
  `the channel was closed${dayClosed(channel)}: it does not open again`;

/** What is wrong with the input of a deed. */
export interface FlawFound {
  field: string;
  flaw: Flaw;
  /** Another channel would take it. */
  isOfChannel: boolean;
}

/**
 * Reads the input of a deed, however it was given.
 * @param channel left out: what fits this channel is not looked at
 * @returns every flaw, in the order of the fields
 */
export function readInput(
  { input, together, ofClosed }: AnyDeed,
  given: (name: string, field: Field<unknown>) => unknown,
  channel?: Channel,
): { input: Record<string, unknown> } | { found: FlawFound[] } {
  if (channel?.state === 'closed' && !ofClosed) {
    const refused: Flaw = { says: sayClosed(channel), isWhole: true };
    return { found: [{ field: 'reason', flaw: refused, isOfChannel: true }] };
  }
  const found: FlawFound[] = [];
  const read: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries<Field<unknown>>(input)) {
    const value = rule.read(given(field, rule));
    const isOfChannel = !(value instanceof Flawed);
    const wrong = isOfChannel ? channel && rule.fits?.(value, channel) : value;
    if (wrong) found.push({ field, flaw: wrong.flaw, isOfChannel });
    else read[field] = value;
  }
  const wrong = together?.fields.every((name) => name in read) ? together.judge(read) : undefined;
  if (wrong) found.push({ field: together!.fields[0]!, flaw: wrong.flaw, isOfChannel: false });
  return found.length === 0 ? { input: read } : { found };
}
