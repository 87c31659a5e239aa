import type { Document } from 'mongodb';
import { type Answered, type Asked, type Rules, writesOf } from './asked';
import type { Epochs } from './epochs';
import type { Findings } from './findings';

/** A channel's own; a catch-up's has the account behind it. */
const OWN_MARKER = /^[^/]+\/[^/]+$/;

/** Rule 3 of commit order: how a channel's own markers move. */
export class MarkerRules implements Rules {
  private readonly confirmed = new Set<string>();

  constructor(
    private readonly findings: Findings,
    private readonly epochs: Epochs,
    /** Up to where a marker may move. */
    private readonly boundOf: (id: string) => number,
  ) {}

  /** A customer confirms a page: `got[r] = v`. */
  pageConfirmed(delivery: string, number: number): void {
    this.findings.steps++;
    this.confirmed.add(`${delivery} ${number}`);
  }

  told(asked: Asked): Answered | undefined {
    if (asked.collection !== 'markers') return undefined;
    if (asked.name === 'findAndModify') return this.epochTaken(asked.command);
    if (asked.name !== 'update') return undefined;
    const told = writesOf(asked).map(({ q, u }) => this.markerTold(q, u));
    return (answer) => {
      if (answer?.['ok'] === 1 && Number(answer['n']) > 0) told.forEach((one) => one?.());
    };
  }

  /** `epoch++; e = epoch; m = marker` */
  private epochTaken({ query, update, new: isAfter }: Document): Answered | undefined {
    if (!OWN_MARKER.test(query?._id) || !update?.$inc?.epoch) return undefined;
    const taken = this.epochs.sent(query._id, 1);
    return (answer) => {
      const epoch = answer?.['value']?.epoch;
      if (epoch !== undefined && epoch !== null) taken(Number(epoch) - (isAfter ? 1 : 0));
    };
  }

  /** `epoch == e -> marker = best`; `marker = 0; epoch++`; `marker = ceil; epoch++` */
  private markerTold(q: Document, u: Document): (() => void) | undefined {
    const id = String(q['_id']);
    if (q['_id'] !== undefined && !OWN_MARKER.test(id)) return undefined;
    const takes = Number(u['$inc']?.epoch ?? 0);
    const taken = this.epochs.sent(id, takes);
    const ceiling = this.boundOf(id);
    const { position, progress } = u['$set'] ?? {};
    // A part of a page has the number of the whole one, which is counted only once it is passed.
    const isConfirmed =
      !progress ||
      progress.pages === 0 ||
      [0, 1].some((more) => this.confirmed.has(`${progress.delivery} ${progress.pages + more}`));
    return () => {
      const isMove = position !== undefined && u['$set'].began === undefined;
      taken(isMove && q['epoch'] !== undefined ? Number(q['epoch']) : undefined);
      if (u['$min']?.position !== undefined) {
        this.findings.steps++;
        if (takes === 0) this.findings.refuse('SKIP_RESET_FENCE', `a reset of ${id} takes no epoch`);
      }
      if (!isMove) return;
      this.findings.steps++;
      if (q['epoch'] === undefined) return this.findings.refuse('NO_FENCE', `${id} moves in any epoch`);
      if (!isConfirmed)
        this.findings.refuse(
          'ADV_EARLY',
          `${id} moves past page ${progress.pages} of ${progress.delivery}, which nobody has confirmed`,
        );
      if (Number(position) > ceiling)
        this.findings.refuse(
          'LATE_CEILING',
          `${id} moves to ${position}, and records were read up to ${ceiling}`,
        );
    };
  }
}
