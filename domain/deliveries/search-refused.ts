/** The next action of a search. Lists of records are in the order of the page. */
export type SearchStep<R> =
  | { do: 'post'; records: R[] }
  /** Post one of elsewhere alone: nothing of the page is confirmed beside the suspect. */
  | { do: 'compare' }
  /** The marker may move there: it has moved past all before, and this one is confirmed, no longer shared, or at fault, to be set aside. */
  | { do: 'move'; upTo: R; isAtFault: boolean }
  /** So many records failed together, and each part of them was confirmed. */
  | { do: 'too-long'; records: number };

/** The outcome of a post: the records that were still shared, so posted, and whether none of these was refused. */
export interface Tried<R> {
  posted: R[];
  confirmed: boolean;
}

/** A page at the beginning of its search. */
interface Failed<R> {
  /** What of it was posted, and refused. */
  refused: R[];
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
 * @returns the records that were refused alone while no other was confirmed: it may be the endpoint. None if the marker may move past all
 */
export function* searchRefused<R>(page: R[], { refused, ...known }: Failed<R>): Steps<R, R[]> {
  const search = new Search(page, known);
  let tried = search.note({ posted: refused, confirmed: false });
  while (!tried.confirmed) {
    const suspect = yield* search.narrow(tried.posted);
    if (suspect !== undefined && !(yield* search.judge(suspect))) return [...search.firstRefusals.keys()];
    if (search.rest.length === 0) return [];
    tried = yield* search.post(search.rest);
  }
  yield* search.move(page.at(-1)!);
  return [];
}

class Search<R> {
  rest: R[];
  /** How many confirmations there were before a record was first refused alone. */
  readonly firstRefusals: Map<R, number>;
  private confirmations = 0;
  private confirmedLast: R | undefined;
  private isThere: boolean;

  constructor(page: R[], { before = [], careful = false }: Omit<Failed<R>, 'refused'>) {
    this.rest = page;
    this.firstRefusals = new Map(before.map((record) => [record, -1]));
    this.isThere = !careful;
  }

  note(tried: Tried<R>): Tried<R> {
    const { posted, confirmed } = tried;
    const [one] = posted;
    if (!confirmed) {
      if (posted.length === 1 && !this.firstRefusals.has(one!))
        this.firstRefusals.set(one!, this.confirmations);
    } else if (one !== undefined) {
      this.confirmations += 1;
      this.confirmedLast = posted.at(-1);
      this.isThere = true;
    }
    return tried;
  }

  *post(records: R[]): Steps<R, Tried<R>> {
    return this.note(yield { do: 'post', records });
  }

  *move(upTo: R, isAtFault = false): Steps<R, void> {
    yield { do: 'move', upTo, isAtFault };
    this.rest = this.rest.slice(this.rest.indexOf(upTo) + 1);
  }

  /** Halves what was refused until one record of it is refused alone. @returns undefined when the marker may move past all of it */
  *narrow(part: R[]): Steps<R, R | undefined> {
    let { length } = part;
    let isAllPosted = true;
    while (part.length > 0 && length > 1) {
      const half = part.slice(0, this.isThere ? Math.ceil(part.length / 2) : 1);
      const { posted, confirmed } = yield* this.post(half);
      isAllPosted &&= posted.length === half.length;
      if (confirmed) yield* this.move(half.at(-1)!);
      else length = posted.length;
      part = confirmed ? part.slice(half.length) : posted;
    }
    if (part.length === 0 && isAllPosted) yield { do: 'too-long', records: length };
    return part[0];
  }

  /** Moves past a record that was refused alone, once it is confirmed or found at fault. @returns false if no other one is confirmed */
  *judge(suspect: R): Steps<R, boolean> {
    const isSecond = this.firstRefusals.get(suspect)! < this.confirmations;
    if (!isSecond && !(yield* this.compare(suspect))) return false;
    const isAtFault = isSecond || !(yield* this.post([suspect])).confirmed;
    yield* this.move(suspect, isAtFault);
    const [next] = this.rest;
    if (isAtFault && next !== undefined && next === this.confirmedLast) yield* this.move(next);
    return true;
  }

  /** Has another one confirmed: the next, the last of the page, again the one confirmed last, or one of elsewhere. */
  private *compare(suspect: R): Steps<R, boolean> {
    const [next, ...behind] = this.rest.slice(this.rest.indexOf(suspect) + 1);
    const others = this.isThere ? [next, behind.at(-1), this.confirmedLast] : [next];
    const before = this.confirmations;
    for (const other of new Set(others)) {
      if (other !== undefined) yield* this.post([other]);
      if (this.confirmations > before) return true;
    }
    if (this.isThere || next === undefined) {
      const tried = yield { do: 'compare' };
      if (tried.confirmed) this.note(tried);
    }
    return this.confirmations > before;
  }
}
