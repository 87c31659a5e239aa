import type { RecordType } from './commands';

const MIB = 1024 * 1024;

/**
 * Of a record as it is stored, its JSON above all: a document of MongoDB holds 16 MiB. Rendering can make a record several times
 * larger than it was pushed.
 */
export const MAX_RECORD_MIB = 15;

// What an item of a list takes in a document beside its own bytes.
const ITEM_BYTES = 16;

/** A record that cannot be stored, of whatever size its push was (docs/contract.md E4). */
export class RecordTooLarge extends Error {
  override name = 'RecordTooLarge';

  /** @param id `<company_id>-<remote_id>` */
  constructor(
    readonly type: RecordType,
    readonly id: string,
  ) {
    super('a record is too large to be stored');
  }
}

/**
 * @param bytes of its JSON
 * @param lists the texts that are stored beside it
 * @throws RecordTooLarge
 */
export function refuseTooLarge(
  type: RecordType,
  {
    id,
    bytes,
    lists = [],
  }: { id: string; bytes: number; lists?: readonly (readonly string[] | undefined)[] },
): void {
  let size = bytes;
  for (const list of lists) for (const item of list ?? []) size += Buffer.byteLength(item) + ITEM_BYTES;
  if (size > MAX_RECORD_MIB * MIB) throw new RecordTooLarge(type, id);
}
