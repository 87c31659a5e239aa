const MIB = 1024 * 1024;

/** How much of what is stored one transaction of pushes reads in full (docs/contract.md A8). */
export const MOST_STORED_MIB = 32;

/** The records of a push have more than this stored: a push of one kilobyte can name records of many gigabytes. */
export class TooMuchStored extends Error {
  override name = 'TooMuchStored';

  constructor() {
    super(`more than ${MOST_STORED_MIB} MiB is stored of these records`);
  }
}

/**
 * Counts the bytes of records that are read in full. One alone is never too much (MAX_RECORD_MIB).
 * @returns a function that counts those of one more record, and throws TooMuchStored
 */
export function countStored(): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > MOST_STORED_MIB * MIB) throw new TooMuchStored();
  };
}
