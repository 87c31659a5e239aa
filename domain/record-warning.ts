/** What is suspicious about a field of a record: never a reason to refuse it (docs/contract.md E10). */
export interface RecordWarning {
  /** As in a path: `net_weight`, `splits[0].disposition`. */
  readonly field: string;
  readonly message: string;
}

/** As one sentence: `net_weight is not gross_weight - tare_weight (off by -20)`. */
export const sayWarning = ({ field, message }: RecordWarning) => `${field} ${message}`;
