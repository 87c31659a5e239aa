import type { TSchema } from '@sinclair/typebox';
import type { Channel } from '../store/channels/channels';
import type { Store } from '../store/store';

/** One member of what is listed. */
interface Member<One> {
  /** Customers are told it: its prose in `/openapi.json`. Without this it is for operators alone. */
  told?: TSchema;
  /** Left out: it is the member of the same name. */
  of?(one: One): unknown;
}

/** Keeps only those of one kind: a parameter of the API, an option of `gdx`. */
interface Filter<T extends string> {
  schema: TSchema;
  kinds: readonly T[];
  wrong: string;
  flags: string;
  says: string;
}

type Filters = Record<string, string>;
type Asked<F extends Filters, After> = { [Name in keyof F]?: F[Name] | undefined } & {
  limit: number;
  after?: After | undefined;
};
type Shown = string | number | Date | null | undefined;

/**
 * One list of a channel. The route of the JSON API, its query and its reference, and the command of `gdx` are made from its row. What customers
 * may see of it is said here alone.
 */
interface List<F extends Filters, One, After> {
  filters: { [Name in keyof F]: Filter<F[Name]> };
  /** In the order of the answer, and of `--json`, which has them all. */
  members: Record<string, Member<One>>;
  /** What customers see of one, in the API and on their page, where that is not the same. */
  forCustomers?(one: One): One;
  find(store: Store, channel: Channel, asked: Asked<F, After>): Promise<One[]>;
  /** Of a list that is read part by part: what its next part begins behind, as a text. */
  cursor?: { of(last: One): string; read(text: string): After | undefined };
  api: {
    id: string;
    tag: 'markers' | 'deliveries';
    /** Below the address of the channel. */
    path: string;
    summary: string;
    schema: string;
    says: string;
    sample: object;
  };
  gdx: {
    /** Of a command below its noun; a noun by itself is described where all are. */
    says?: string;
    limit?: number;
    /** Of the table, in its order; `true`: the member of that name. */
    columns: Record<string, true | ((one: One) => Shown)>;
    none?: string;
  };
}

/** Makes a row: `channelList<One>()({ ... })`, so that the rest is inferred. */
export const channelList =
  <One extends object>() =>
  <F extends Filters, After = undefined>(row: List<F, One, After>): List<F, One, After> =>
    row;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of whatever is listed
export type AnyList = List<any, any, any>;

/** What was asked of a list, once it is read. */
export type AskedOf<L extends AnyList> = Parameters<L['find']>[2];

export type Reader = 'customer' | 'operator';

/** One of a part as the API answers it to customers, or as `--json` has it for operators. */
export const membersOf = (row: AnyList, shown: object, reader: Reader) =>
  Object.fromEntries(
    Object.entries<Member<unknown>>(row.members)
      .filter(([, { told }]) => told || reader === 'operator')
      .map(([name, { of }]) => [name, of ? of(shown) : (shown as Record<string, unknown>)[name]]),
  );

/** What the reader may see of a part. One more is read than is asked for, which tells whether there are more. */
export async function partOf<F extends Filters, One, After>(
  { find, cursor, forCustomers }: List<F, One, After>,
  store: Store,
  channel: Channel,
  asked: Asked<F, After> & { reader: Reader },
): Promise<{ shown: One[]; next: string | null }> {
  const found = await find(store, channel, { ...asked, limit: asked.limit + 1 });
  const part = found.slice(0, asked.limit);
  const next = found.length > part.length ? cursor!.of(part.at(-1)!) : null;
  return { shown: forCustomers && asked.reader === 'customer' ? part.map(forCustomers) : part, next };
}
