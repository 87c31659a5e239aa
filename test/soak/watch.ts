import { readdirSync } from 'node:fs';
import type { Part } from '../../tools/local/part';
import { residentMB } from '../setup/resident-memory';

interface Sample {
  MB: number;
  handles: number;
}

const MEASURES = ['MB', 'handles'] as const;

// Tolerance for a process at rest: uncollected garbage, open connections.
const MAY_GROW = { MB: 1.2, handles: 1.2 };

/** Samples memory and handles of processes that are left alone, from Linux's /proc. */
export class Watch {
  private readonly samples = new Map<string, Sample[]>();
  private readonly ended = new Set<string>();

  look(parts: Part[]): void {
    for (const { name, pid } of parts) {
      if (pid === undefined) this.ended.add(name);
      else this.samples.set(name, [...(this.samples.get(name) ?? []), sample(pid)]);
    }
  }

  /** Of each process, what it held in the first third of the time and in the last: medians. */
  rows() {
    return [...this.samples].map(([process, all]) => {
      const { first, last } = thirds(all);
      return {
        process,
        samples: all.length,
        'MB first third': first.MB,
        'MB last third': last.MB,
        'handles first third': first.handles,
        'handles last third': last.handles,
      };
    });
  }

  /** What did not live on, or has grown more than it may, a line each. */
  broken(): string[] {
    const grown = [...this.samples].flatMap(([name, all]) => {
      const { first, last } = thirds(all);
      return MEASURES.filter((measure) => last[measure] > first[measure] * MAY_GROW[measure]).map(
        (measure) => `${name} went from ${first[measure]} to ${last[measure]} ${measure}`,
      );
    });
    return [...[...this.ended].map((name) => `${name} ended, though nobody touched it`), ...grown];
  }
}

function sample(pid: number): Sample {
  return { MB: Math.round(residentMB(pid)), handles: readdirSync(`/proc/${pid}/fd`).length };
}

function thirds(all: Sample[]): { first: Sample; last: Sample } {
  const third = Math.ceil(all.length / 3);
  return { first: medians(all.slice(0, third)), last: medians(all.slice(-third)) };
}

const medians = (samples: Sample[]): Sample => ({
  MB: median(samples.map(({ MB }) => MB)),
  handles: median(samples.map(({ handles }) => handles)),
});

const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
