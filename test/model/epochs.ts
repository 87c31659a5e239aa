import type { Findings } from './findings';

/** How often a marker's epoch was taken, for sure and at most: what is in flight at once may come in any order. */
interface Taken {
  raised: number;
  sent: number;
}

/** The epochs of all markers, by the commands that take them. */
export class Epochs {
  private readonly known = new Map<string, Taken>();

  constructor(private readonly findings: Findings) {}

  /** A marker that begins in another epoch than 0. */
  begin(id: string, epoch: number): void {
    this.known.set(id, { raised: epoch, sent: epoch });
  }

  /** It is in this epoch at the least. */
  least = (id: string): number => this.of(id).raised;
  most = (id: string): number => this.of(id).sent;

  /** A command is sent that goes by an epoch, and takes so many. @returns to be called when it is done, with the epoch it went by */
  sent(id: string, takes: number): (epoch?: number) => void {
    const taken = this.of(id);
    const least = taken.raised;
    taken.sent += takes;
    return (epoch) => {
      taken.raised += takes;
      if (epoch === undefined || (epoch >= least && epoch <= taken.sent)) return;
      const range = `it was from ${least} to ${taken.sent}`;
      this.findings.refuse('NO_FENCE', `${id} is changed in epoch ${epoch}, and ${range}`);
    };
  }

  private of(id: string): Taken {
    const taken = this.known.get(id) ?? { raised: 0, sent: 0 };
    this.known.set(id, taken);
    return taken;
  }
}
