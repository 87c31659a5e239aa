import type { ErpWord } from '../records/erp-word';

/** A page's `meta` (docs/contract.md C5). */
export interface PageMeta {
  readonly current_page: number;
  readonly page_count: number;
  readonly page_size: number;
  readonly total_count: number;
  readonly total_pages: number;
}

/** Of each company the day up to which its ERP has said that it pushed everything of the page's type (docs/contract.md C32). */
export type PageWords = Readonly<Record<string, ErpWord>>;

// Room in memory before a page for what is signed with it: an id and a time, each with a point behind it.
const ROOM = 96;
const rooms = new WeakMap<Uint8Array, Buffer>();

const OPENING = '{"data":[';
const COMMA = 0x2c;

/** Joins rendered records to a feed body. Bytes are copied once, and nothing is parsed or rendered again. */
export function renderPage(wires: readonly Uint8Array[], meta: PageMeta, words?: PageWords): Buffer {
  const closing = closingOf(meta, words);
  const commas = Math.max(0, wires.length - 1);
  const size = wires.reduce((sum, wire) => sum + wire.length, OPENING.length + commas + closing.length);
  const whole = Buffer.allocUnsafe(ROOM + size);
  const page = whole.subarray(ROOM);
  rooms.set(page, whole);
  let offset = page.write(OPENING, 'latin1');
  for (const [index, wire] of wires.entries()) {
    if (index > 0) page[offset++] = COMMA;
    page.set(wire, offset);
    offset += wire.length;
  }
  page.write(closing, offset, 'latin1');
  return page;
}

/** These bytes and the page behind them. The first time a page that was rendered here is not copied: they are put before it in memory. */
export function withBefore(bytes: Buffer, page: Buffer): Buffer {
  const whole = rooms.get(page);
  if (!whole || bytes.length > ROOM) return Buffer.concat([bytes, page]);
  rooms.delete(page); // whoever got them may still read them, beside the next one
  whole.set(bytes, ROOM - bytes.length);
  return whole.subarray(ROOM - bytes.length);
}

function closingOf(
  { current_page, page_count, page_size, total_count, total_pages }: PageMeta,
  words: PageWords | undefined,
): string {
  const numbers = JSON.stringify({ current_page, page_count, page_size, total_count, total_pages });
  return `],"meta":${numbers}${words ? `,"erp_complete_through":${JSON.stringify(words)}` : ''}}`;
}
