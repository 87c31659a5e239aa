import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { unreadable } from '../cli-error';
import { FileProblem } from '../file-problem';
import { decode, decoderOf, type Encoding, LONGEST_MARK, markOf, utf8LengthAt } from './text-encoding';

const NEWLINE = 0x0a;
// DOS ended texts with this byte, and some programs still do.
const END_OF_TEXT = 0x1a;
const NOTHING = Buffer.alloc(0);

/**
 * Converts a text file to UTF-8, chunk by chunk, as `PlainText` does.
 * @param encoding of a file without a byte order mark, such as `windows-1252`
 * @throws FileProblem
 */
export async function* plainText(chunks: AsyncIterable<Buffer>, encoding?: string): AsyncGenerator<Buffer> {
  const text = new PlainText(encoding);
  for await (const chunk of chunks) yield text.write(chunk);
  yield text.end();
}

/** The text of a whole file. @throws FileProblem */
export function textOf(file: Buffer): string {
  const text = new PlainText();
  return Buffer.concat([text.write(file), text.end()]).toString();
}

/**
 * Converts a text to UTF-8. It may be in UTF-8, in UTF-16 with a byte order mark, or in an encoding that is
 * named. The mark and every 0x1A at the end are left out.
 * @throws FileProblem for other text, such as that of a Windows encoding that is not named
 */
class PlainText {
  private encoding: Encoding | undefined;
  /** Set if an encoding other than UTF-8 was named, and the file has no mark. */
  private decoder: ReturnType<typeof decoderOf> | undefined;
  /** Bytes that may begin a mark or a character. */
  private rest: Buffer = NOTHING;
  /** The number of 0x1A that are held back, as they may be the last bytes. */
  private held = 0;
  private line = 1;
  private column = 1;

  constructor(private readonly named?: string) {}

  write(chunk: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, chunk]);
    return !this.encoding && this.rest.length < LONGEST_MARK ? NOTHING : this.passWhole();
  }

  end(): Buffer {
    const text = this.passWhole();
    const last = this.decoder ? this.pass(Buffer.from(this.decoder())) : NOTHING;
    if (this.rest.length === 0) return Buffer.concat([text, last]);
    if (this.encoding === 'UTF-8') this.pass(this.rest); // throws, and names the first byte
    throw this.problem('the file ends within a character: is it complete?');
  }

  private passWhole(): Buffer {
    this.encoding ??= this.begin();
    if (this.decoder) {
      const decoded = Buffer.from(this.decoder(this.rest));
      this.rest = NOTHING;
      return this.pass(decoded);
    }
    const { text, used, isBroken } = decode(this.rest, this.encoding);
    this.rest = this.rest.subarray(used);
    const passed = this.pass(text);
    if (isBroken) throw this.problem(`half a character: the file is no ${this.encoding}. Export it as UTF-8`);
    return passed;
  }

  private begin(): Encoding {
    const mark = markOf(this.rest);
    const { encoding, bytes } = mark ?? { encoding: 'UTF-8', bytes: NOTHING };
    if (!mark && this.named && !/^utf-?8$/i.test(this.named)) this.decoder = this.decoderOf(this.named);
    if (encoding === 'UTF-32') throw this.problem('the file is UTF-32: export it as UTF-8');
    this.rest = this.rest.subarray(bytes.length);
    return encoding;
  }

  private decoderOf(encoding: string) {
    try {
      return decoderOf(encoding);
    } catch {
      throw this.problem(`there is no encoding ${encoding}: windows-1252 and cp437 are such`);
    }
  }

  private pass(text: Buffer): Buffer {
    const wrong = firstWrong(text);
    this.advance(wrong === -1 ? text : text.subarray(0, wrong));
    if (wrong === -1) return this.withoutEnd(text);
    const byte = text[wrong]!;
    throw this.problem(
      byte === 0
        ? 'a zero byte: the file is UTF-16 without a mark, or no text. Export it as UTF-8'
        : `byte 0x${byte.toString(16)} is not UTF-8. In windows-1252 the line would read \`${lineAt(text, wrong)}\`: say "encoding": "windows-1252" in the "dialect" if that is right, or export the file as UTF-8`,
    );
  }

  private withoutEnd(text: Buffer): Buffer {
    let end = text.length;
    while (end > 0 && text[end - 1] === END_OF_TEXT) end--;
    const before = end > 0 ? this.held : 0;
    this.held += text.length - end - before;
    return before > 0
      ? Buffer.concat([Buffer.alloc(before, END_OF_TEXT), text.subarray(0, end)])
      : text.subarray(0, end);
  }

  private advance(text: Buffer): void {
    const last = text.lastIndexOf(NEWLINE);
    for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, at + 1)) this.line++;
    if (last !== -1) this.column = 1;
    this.column += [...text.subarray(last + 1).toString()].length;
  }

  private problem(what: string): FileProblem {
    return new FileProblem({ line: this.line, column: this.column }, what);
  }
}

/** @returns the index of the first byte that is zero or not part of a character; -1 if there is none */
function firstWrong(bytes: Buffer): number {
  const zero = bytes.indexOf(0);
  const text = zero === -1 ? bytes : bytes.subarray(0, zero);
  if (isUtf8(text)) return zero;
  let at = 0;
  while (isUtf8(text.subarray(at, at + utf8LengthAt(text, at)))) at += utf8LengthAt(text, at);
  return at;
}

/** The text around a byte, as windows-1252. */
function lineAt(bytes: Buffer, at: number): string {
  const begin = Math.max(bytes.lastIndexOf(NEWLINE, at) + 1, at - 40);
  const end = bytes.indexOf(NEWLINE, at);
  return new TextDecoder('windows-1252')
    .decode(bytes.subarray(begin, Math.min(end === -1 ? bytes.length : end, at + 40)))
    .trim();
}

/** Reads the bytes of a file, unchanged. @throws CliError when it cannot be read */
export async function* readChunks(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } catch (error) {
    unreadable(file)(error);
  }
}
