import type { Document } from 'mongodb';
import { type Answered, type Asked, foundIn, type Rules, type Transaction, TYPES, writesOf } from './asked';
import type { Findings } from './findings';

/** Rules 1 and 2 of commit order: how positions are taken, and up to where records are read. */
export class CounterRules implements Rules {
  private readonly ceilings = new Map<string, number>();
  private readonly bounds = new Map<string, number>();
  private readonly committed = new Map<string, number>();
  /** The own markers of channels with which nothing was shared when that was last read. */
  private readonly ofNobody = new Set<string>();

  constructor(private readonly findings: Findings) {}

  /** Up to where a channel's own marker may move: records of the type were read, or it was seen for whom, up to there. */
  boundOf = (id: string): number => {
    const type = id.split('/')[1] ?? '';
    const ofNobody = this.ofNobody.has(id) ? this.ceilings.get(type) : undefined;
    return Math.max(this.bounds.get(type) ?? 0, this.bounds.get(id) ?? 0, ofNobody ?? 0);
  };

  told(asked: Asked): Answered | undefined {
    const { name, collection, command } = asked;
    if (collection === 'counters') return this.counterTold(asked);
    if (collection === 'subscriptions' && name === 'find') return this.selecting(command['filter'] ?? {});
    if (!TYPES.has(collection)) return undefined;
    if (name === 'find') return this.recordsRead(collection, command['filter'], command);
    if (name === 'aggregate') return this.recordsRead(collection, command['pipeline'][0]?.$match ?? {});
    return undefined;
  }

  /** `!locked; locked = true`, then `counter++`; or `ceil = counter`. */
  private counterTold(asked: Asked): Answered {
    const { transaction } = asked;
    if (asked.name === 'find')
      return (answer) => {
        for (const { _id, position } of foundIn(answer)) raise(this.ceilings, _id, Number(position));
      };
    const hadWritten = transaction?.hasWritten && transaction.taken.size === 0;
    return (answer) => {
      for (const { q, u } of writesOf(asked)) {
        const count = Number(u['$inc']?.position ?? 0);
        if (count === 0 || answer?.['ok'] !== 1) continue;
        this.findings.steps++;
        const type = String(q['_id']);
        if (!transaction) {
          const what = count < 0 ? 'given back' : 'taken';
          const rule = count < 0 ? 'GIVEN_BACK_LATE' : 'OUTSIDE';
          return this.findings.refuse(rule, `a position of ${type} is ${what} in no transaction`);
        }
        const before = transaction.taken.get(type);
        if (hadWritten && !before)
          this.findings.refuse(
            'OUTSIDE',
            `the transaction wrote something before it took a position of ${type}`,
          );
        if (before) before.count += count;
        else transaction.taken.set(type, { before: Number(answer['value'].position), count });
      }
    };
  }

  /** `pos[r] = p; ver[r]++; locked = false` */
  committing({ taken }: Transaction): () => void {
    const known = new Map(this.committed);
    return () => {
      for (const [type, { before, count }] of taken) {
        this.findings.steps++;
        const last = known.get(type) ?? 0;
        if (before < last)
          this.findings.refuse(
            'OUTSIDE',
            `positions of ${type} from ${before} are committed, and so were those up to ${last}`,
          );
        raise(this.committed, type, before + count);
      }
    };
  }

  /**
   * Where nothing is selected no records are read: `ceil` is what was read before the selection. A slice keeps what it has selected,
   * so for nobody it reads no records up to a later `ceil` either.
   */
  private selecting({ channel, to_begin }: Document): Answered | undefined {
    const type = to_begin?.$ne as string | undefined;
    if (type === undefined) return undefined;
    const ceiling = this.ceilings.get(type) ?? 0;
    const id = `${channel}/${type}`;
    return (answer) => {
      raise(this.bounds, id, ceiling);
      if (foundIn(answer).some(({ over }) => !over)) this.ofNobody.delete(id);
      else if (answer?.['ok'] === 1) this.ofNobody.add(id);
    };
  }

  /** The loop over `i <= ceil`. */
  private recordsRead(
    type: string,
    filter: Document,
    { projection, sort }: Document = {},
  ): Answered | undefined {
    const { $gt: after, $lte: upTo } = filter['position'] ?? {};
    if (Number(after) >= Number(upTo)) return undefined; // nothing can be there
    if (upTo === undefined) {
      const isPage = after !== undefined && projection?.wire && isByPosition(sort);
      if (isPage) this.findings.refuse('NO_CEILING', `a page of ${type} is read without an end`);
      return undefined;
    }
    const ceiling = this.ceilings.get(type) ?? 0;
    if (Number(upTo) > ceiling)
      this.findings.refuse(
        'NO_CEILING',
        `${type} are read up to ${upTo}, and the counter was read at ${ceiling}`,
      );
    return (answer) => {
      if (answer?.['ok'] !== 1) return;
      this.findings.steps++;
      raise(this.bounds, type, Number(upTo));
    };
  }
}

/** The driver tells a sort as a `Map`. */
const isByPosition = (sort: unknown) =>
  'position' in (sort instanceof Map ? Object.fromEntries(sort) : Object(sort));

function raise(numbers: Map<string, number>, key: string, to: number): void {
  numbers.set(key, Math.max(to, numbers.get(key) ?? 0));
}
