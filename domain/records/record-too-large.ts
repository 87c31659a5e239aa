import type { RecordType } from './commands';

const MIB = 1024 * 1024;

/**
 * The limit of a stored record, most of which is its JSON. A MongoDB document holds 16 MiB. Rendering can make a record
 * several times larger than it was pushed.
 */
export const MAX_RECORD_MIB = 15;

// The overhead of a list item in a MongoDB document.
const ITEM_BYTES = 16;

/** A record is too large to be stored, even where its push was small enough (docs/contract.md E4). */
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

/** @param bytes the size of its JSON @param lists the texts that are stored beside the JSON @throws RecordTooLarge */
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
