import type { Document } from 'mongodb';
import { type Answered, type Asked, foundIn, keep, type Rules, type Transaction, writesOf } from './asked';
import type { Epochs } from './epochs';
import type { Findings } from './findings';

/** A page as an attempt has laid it out. */
interface Laid {
  /** The marker, and the epoch that made the page. */
  id: string;
  epoch: number;
  shares: number;
  /** No reset had been asked for since. */
  resets: number;
}

/** Its bytes are read, to be given out: in which epoch the marker was by then at the least, and which `shares_version` there was. */
interface Opened {
  least: number;
  shares: number;
  laid: Laid;
}

/** The steps of `-DPULL`: a page is laid out, given out and confirmed. */
export class WaitingRules implements Rules {
  private readonly laid = new Map<string, Laid[]>();
  private readonly opened = new Map<string, Opened[]>();
  private readonly confirmed = new Map<string, true>();
  /** Of each marker, how many resets were asked for, and in which epoch it was at the most when the last one was answered. */
  private readonly resets = new Map<string, { asked: number; epoch: number }>();

  constructor(
    private readonly findings: Findings,
    private readonly epochs: Epochs,
    /** The `shares_version` that a channel has at the least. */
    private readonly sharesOf: (slug: string) => number,
  ) {}

  told(asked: Asked): Answered | undefined {
    const { name, collection, command } = asked;
    if (collection === 'markers' && name === 'update') return this.resetTold(asked);
    if (collection !== 'waiting_pages') return undefined;
    if (name === 'update') for (const { u } of writesOf(asked)) this.layTold(u['$set'] ?? {});
    const isOpened = name === 'find' && command['projection']?.['laid.body'];
    return isOpened ? this.openTold(command['filter']) : undefined;
  }

  private resetTold(asked: Asked): Answered {
    const ids = writesOf(asked).flatMap(({ q, u }) =>
      u['$min']?.position === undefined ? [] : [String(q['_id'])],
    );
    for (const id of ids) this.resets.set(id, { epoch: Infinity, asked: this.resetsOf(id) + 1 });
    return (answer) => {
      if (answer?.['ok'] !== 1) return;
      for (const id of ids) this.resets.set(id, { asked: this.resetsOf(id), epoch: this.epochs.most(id) });
    };
  }

  private readonly resetsOf = (id: string) => this.resets.get(id)?.asked ?? 0;

  /** `laid = true; pageEpoch = e; ...` */
  private layTold({ page, laid }: Document): void {
    if (page === undefined || laid === undefined) return;
    this.findings.steps++;
    const { id, epoch } = laid.fence as { id: string; epoch: number };
    const before = this.laid.get(page) ?? [];
    const reset = this.resets.get(id);
    if (reset && epoch > reset.epoch && before.some((one) => one.id === id && one.resets < reset.asked))
      this.findings.refuse('SAME_ID', `after a reset of ${id} another page has the id ${page}`);
    const one = { id, epoch: Number(epoch), shares: Number(laid.shares_version), resets: this.resetsOf(id) };
    keep(this.laid, page, [...before, one]);
  }

  private openTold({ _id, page, 'laid.fence': fence }: Document): Answered {
    const least = this.epochs.least(fence?.id);
    const shares = this.sharesOf(String(_id).split('/')[0]!);
    return (answer) => {
      if (foundIn(answer).length === 0) return;
      const laid = this.laid
        .get(page)
        ?.find(({ id, epoch }) => id === fence.id && epoch === Number(fence.epoch));
      if (laid) keep(this.opened, page, [...(this.opened.get(page) ?? []), { least, shares, laid }]);
    };
  }

  /**
   * `laid && GIVEN_OUT`: a page reaches the customer who has collected it.
   * @returns the `shares_version` by which it was given out; undefined for a page that was posted
   */
  pageArrived(page: string): number | undefined {
    const opened = this.opened.get(page);
    const laid = this.laid.get(page)?.at(-1);
    if (!opened || !laid) return undefined;
    this.findings.steps++;
    // It is looked up once more behind its bytes, so what was so before they were asked for counts.
    const current = opened.filter((one) => one.least <= one.laid.epoch);
    if (current.length === 0)
      this.findings.refuse(
        'GIVEN_IN_ANY_EPOCH',
        `a page of epoch ${laid.epoch} of ${laid.id} is given out, and it was in ${opened.at(-1)!.least}`,
      );
    else if (current.every((one) => one.shares > one.laid.shares))
      this.findings.refuse(
        'REVOKED',
        `a page of ${laid.id} is given out, and what is shared has changed since`,
      );
    this.opened.delete(page);
    return laid.shares;
  }

  pageConfirmed(page: string): void {
    keep(this.confirmed, page, true);
  }

  /** `laid && SAME_PAGE && CURRENT -> marker = pageTo; laid = false` */
  committing({ heard }: Transaction): () => void {
    const passed = heard
      .filter(({ collection }) => collection === 'waiting_pages')
      .flatMap(writesOf)
      .flatMap(({ u }): string[] => u['$push']?.passed?.$each ?? []);
    const moves = heard
      .filter(({ name, collection }) => collection === 'markers' && name === 'update')
      .flatMap(writesOf)
      .filter(({ u }) => u['$set']?.position !== undefined);
    return () => {
      for (const page of passed) {
        this.findings.steps++;
        if (!this.confirmed.has(page))
          this.findings.refuse('ADV_EARLY', `${page} is passed, and nobody has confirmed it`);
        const laid = this.laid.get(page);
        for (const { q } of laid ? moves : []) {
          if (
            q['epoch'] !== undefined &&
            !laid!.some(({ id, epoch }) => id === q['_id'] && epoch === Number(q['epoch']))
          )
            this.findings.refuse(
              'CONFIRM_ANY',
              `${page} is confirmed, and ${q['_id']} moves by a page of epoch ${q['epoch']}`,
            );
        }
      }
    };
  }
}
