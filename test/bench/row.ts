/** One measured figure. */
export interface Row {
  id: string;
  what: string;
  value: number;
  unit: 'x' | 'count' | 'bytes' | 'ms' | 's' | 'MB' | '%';
  /** None: shown for the reader only. */
  bound?: Bound;
  /** What the value was made from. */
  detail?: string;
  /** The same figure in the run that this one is compared with. */
  before?: { value: number; mark: BoundVerdict };
}

/** Counts are hard, as they come out the same on every machine; ratios are soft. */
export type Bound =
  | { hard: true; exactly: number }
  | { hard: true; atMost: number }
  | { hard: false; atMost: number; goal?: number }
  | { hard: false; atLeast: number; goal?: number };

export type BoundVerdict = 'ok' | 'BROKEN' | 'goal' | 'met' | 'missed' | '';

export function markOf({ value, bound }: Row): BoundVerdict {
  if (!bound) return '';
  if (bound.hard) return holds(value, bound) ? 'ok' : 'BROKEN';
  const { goal } = bound;
  if (goal !== undefined && ('atMost' in bound ? value <= goal : value >= goal)) return 'goal';
  return holds(value, bound) ? 'met' : 'missed';
}

/** The row of a measurement that came to no figure: it fails the run, and the others go on. */
export function failedRow(id: string, error: unknown): Row {
  const detail = error instanceof Error ? error.message : String(error);
  return {
    id,
    what: 'is not measured',
    value: NaN,
    unit: 'count',
    bound: { hard: true, exactly: 0 },
    detail,
  };
}

function holds(value: number, bound: Bound): boolean {
  if ('exactly' in bound) return value === bound.exactly;
  return 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
}
