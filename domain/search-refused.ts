/** The next action of a search. Lists of records are in the order of the page. */
export type SearchStep<R> =
  | { do: 'post'; records: R[] }
  /** This record is at fault. */
  | { do: 'set-aside'; record: R }
  /** Post one of elsewhere alone, to compare with: nothing of the page is confirmed beside the suspect. */
  | { do: 'compare' }
  /** All up to this record is confirmed, set aside or no longer shared; the marker may move there. */
  | { do: 'pass'; upTo: R }
  /** So many records failed together, and each part of them was confirmed. */
  | { do: 'outgrown'; records: number };

/** The outcome of a post: the records that were still shared, so posted, and whether these were confirmed. */
export interface Tried<R> {
  posted: R[];
  confirmed: boolean;
}

/** A page at the beginning of its search. */
interface Failed<R> {
  /** What of it was posted, and refused. */
  refused: R[];
  /** The record after it, to compare another one with. */
  next?: R | undefined;
  /** Records that were refused alone before, and since when another one was confirmed. */
  before?: R[];
  /** The customer may be away: nothing is halved until one record alone is confirmed. */
  careful?: boolean;
}

type Steps<R, Result> = Generator<SearchStep<R>, Result, Tried<R>>;

/**
 * Halves a refused page down to the record at fault, and gets all others confirmed. A record is set aside only if it was
 * posted alone and refused twice, with another one confirmed in between (docs/contract.md C10). One such record in a page
 * of n costs at most log2(n) + 4 more requests.
 * @returns the records that were refused alone while no other was confirmed: it may be the endpoint. None if all is passed
 */
export function* searchRefused<R>(page: R[], { refused, next, ...known }: Failed<R>): Steps<R, R[]> {
  const search = new Search(next === undefined ? page : [...page, next], known);
  let failed = search.refuse(refused);
  while (failed.length > 0) {
    const suspect = yield* search.narrow(failed);
    if (suspect !== undefined && !(yield* search.judge(suspect))) return [...search.firstRefusals.keys()];
    const rest = search.rest.filter((record) => record !== next);
    failed = rest.length > 0 ? yield* search.post(rest) : [];
  }
  if (search.passed < page.length) yield* search.pass(page.at(-1)!);
  return [];
}

class Search<R> {
  passed = 0;
  /** How many confirmations there were before a record was first refused alone. */
  readonly firstRefusals: Map<R, number>;
  private confirmations = 0;
  private confirmedLast: R | undefined;
  private isThere: boolean;
  private readonly gone = new Set<R>();

  constructor(
    private readonly page: R[],
    { before = [], careful = false }: Pick<Failed<R>, 'before' | 'careful'>,
  ) {
    this.firstRefusals = new Map(before.map((record) => [record, -1]));
    this.isThere = !careful;
  }

  get rest(): R[] {
    return this.page.slice(this.passed).filter((record) => !this.gone.has(record));
  }

  refuse(posted: R[]): R[] {
    const [one] = posted;
    if (posted.length === 1 && !this.firstRefusals.has(one!))
      this.firstRefusals.set(one!, this.confirmations);
    return posted;
  }

  /** @returns what of these was posted, and refused. What was not posted is not shared any more, and leaves the search. */
  *post(records: R[]): Steps<R, R[]> {
    const { posted, confirmed } = yield { do: 'post', records };
    const were = new Set(posted);
    for (const record of records) if (!were.has(record)) this.gone.add(record);
    if (!confirmed || posted.length === 0) return this.refuse(posted);
    this.confirmations += 1;
    this.confirmedLast = posted.at(-1);
    this.isThere = true;
    return [];
  }

  *pass(upTo: R): Steps<R, void> {
    yield { do: 'pass', upTo };
    this.passed = this.page.indexOf(upTo) + 1;
  }

  /** Halves what has failed until one record of it is refused alone. @returns undefined when all of it is passed */
  *narrow(part: R[]): Steps<R, R | undefined> {
    const goneBefore = this.gone.size;
    let length = part.length;
    while (part.length > 0 && length > 1) {
      const half = part.slice(0, this.isThere ? Math.ceil(part.length / 2) : 1);
      const failed = yield* this.post(half);
      if (failed.length > 0) length = failed.length;
      else yield* this.pass(half.at(-1)!);
      part = failed.length > 0 ? failed : part.slice(half.length);
    }
    if (part.length === 0 && this.gone.size === goneBefore) yield { do: 'outgrown', records: length };
    return part[0];
  }

  /** Passes a record that was refused alone, once it is confirmed or set aside. @returns false if no other one is confirmed */
  *judge(suspect: R): Steps<R, boolean> {
    const isSecond = this.firstRefusals.get(suspect)! < this.confirmations;
    const witness = isSecond ? suspect : yield* this.findWitness(suspect);
    if (witness === undefined && !(yield* this.compare())) return false;
    const isAtFault = isSecond || (yield* this.post([suspect])).length > 0;
    if (isAtFault) yield { do: 'set-aside', record: suspect };
    yield* this.pass(suspect);
    if (isAtFault && witness !== undefined && witness === this.rest[0]) yield* this.pass(witness);
    return true;
  }

  /** @returns whether one of elsewhere is confirmed. A customer who may be away is not asked for it. */
  private *compare(): Steps<R, boolean> {
    if (!this.isThere) return false;
    const { posted, confirmed } = yield { do: 'compare' };
    if (posted.length === 0 || !confirmed) return false;
    this.confirmations += 1;
    return true;
  }

  /** Has the next record confirmed, else the last one; where none is behind the suspect, again the one confirmed last. */
  private *findWitness(suspect: R): Steps<R, R | undefined> {
    const refused = new Set([suspect]);
    for (let again = this.confirmedLast; ;) {
      const left = this.rest.filter((record) => !refused.has(record));
      const other = refused.size === 2 && this.isThere ? left.at(-1) : undefined;
      const one = refused.size === 1 ? (left[0] ?? again) : other;
      if (one === undefined) return undefined;
      if (one === again) again = undefined;
      if ((yield* this.post([one])).length > 0) refused.add(one);
      else if (!this.gone.has(one)) return one;
    }
  }
}
