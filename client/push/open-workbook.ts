import { type SAXParser, parser as saxParser } from 'sax';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { FileProblem } from '../file-problem';

const MIB = 2 ** 20;
// The file is held in memory; its unpacked content is read piece by piece.
const MOST_BYTES = 100 * MIB;
const MOST_UNPACKED = 1024 * MIB;
const MOST_TIMES = 100;

/**
 * Opens a workbook's file and finds its parts by name. @throws FileProblem when it is not a workbook, or unpacks to far
 * more than it should
 */
export async function openParts(chunks: AsyncIterable<Buffer>): Promise<WorkbookParts> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      throw new FileProblem(undefined, 'the workbook is larger than 100 MiB: export it as CSV', true);
    held.push(chunk);
  }
  const zip = await fromBufferPromise(Buffer.concat(held)).catch(notWhole);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  } catch (error) {
    notWhole(error as Error);
  }
  const unpacked = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpacked > MOST_UNPACKED || unpacked > MOST_TIMES * bytes)
    throw new FileProblem(
      undefined,
      `the file would unpack to ${Math.ceil(unpacked / MIB)} MiB from ${Math.ceil(bytes / MIB)}: it is not read. A workbook that is really so large is exported as CSV`,
    );
  return { zip, entries };
}

export interface WorkbookParts {
  zip: ZipFile;
  entries: ReadonlyMap<string, Entry>;
}

function notWhole(error: Error): never {
  throw new FileProblem(undefined, `the workbook cannot be unpacked (${error.message}): is it complete?`);
}

/**
 * Reads the text of a part piece by piece; a missing part has none. @throws FileProblem when it is damaged or larger
 * than it claims
 */
export async function* textOfPart({ zip, entries }: WorkbookParts, name: string): AsyncGenerator<string> {
  const entry = entries.get(name);
  if (!entry) return;
  if (entry.isEncrypted())
    throw new FileProblem(undefined, 'the workbook has a password: save it without one', true);
  try {
    const stream = await zip.openReadStreamPromise(entry);
    yield* stream.setEncoding('utf8') as AsyncIterable<string>;
  } catch (error) {
    notWhole(error as Error);
  }
}

/** Called for each element of the XML, with its name without a prefix. */
interface Heard {
  open?: (name: string, attributes: Record<string, string>, line: number) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
}

const local = (name: string) => name.slice(name.indexOf(':') + 1);

/**
 * Reads XML, of a workbook if nothing else is said, and yields after each piece of text so that the caller can pass on what it has heard. Entities that the
 * file defines are not expanded.
 */
export async function* hear(
  pieces: AsyncIterable<string>,
  heard: Heard,
  what = 'the workbook',
): AsyncGenerator<void> {
  const xml: SAXParser = saxParser(true, {});
  xml.onopentag = ({ name, attributes }) =>
    heard.open?.(
      local(name),
      Object.fromEntries(
        Object.entries(attributes as Record<string, string>).map(([key, value]) => [local(key), value]),
      ),
      xml.line + 1,
    );
  xml.onclosetag = (name) => heard.close?.(local(name));
  xml.ontext = xml.oncdata = (text) => heard.text?.(text);
  xml.onerror = (error) => {
    throw new FileProblem(undefined, `${what} is not whole (${error.message.split('\n')[0]})`);
  };
  for await (const piece of pieces) {
    xml.write(piece);
    yield;
  }
  xml.close();
}
