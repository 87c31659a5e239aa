/** A suspicious value in a field of a record. It is never a reason to refuse the record (docs/contract.md E10). */
export interface RecordWarning {
  /** The path of the field: `net_weight`, `splits[0].disposition`. */
  readonly field: string;
  readonly message: string;
}

/** The warning as a sentence: `net_weight is not gross_weight - tare_weight (off by -20)`. */
export const sayWarning = ({ field, message }: RecordWarning) => `${field} ${message}`;
