import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import { FileProblem } from './file-problem';

const MARKS = [
  { bytes: Buffer.from([0xff, 0xfe]), is: 'UTF-16' },
  { bytes: Buffer.from([0xfe, 0xff]), is: 'UTF-16' },
];
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NEWLINE = 0x0a;

/**
 * Passes a file's bytes on without its byte order mark, as long as they are UTF-8.
 * @throws FileProblem at the first byte that is not, as in a file of a Windows encoding
 */
export class Utf8Check extends Transform {
  private rest: Buffer = Buffer.alloc(0);
  private isFirst = true;
  private line = 1;
  private column = 1;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    if (this.isFirst && bytes.length < MARK.length) {
      this.rest = bytes;
      return done();
    }
    const end = wholeCharacters(bytes);
    this.rest = bytes.subarray(end);
    this.pass(bytes.subarray(0, end), done);
  }

  override _flush(done: TransformCallback): void {
    this.pass(this.rest, done);
  }

  private pass(given: Buffer, done: TransformCallback): void {
    const utf16 = this.isFirst && MARKS.find(({ bytes }) => given.subarray(0, bytes.length).equals(bytes));
    if (utf16) return done(this.problem(`the file is ${utf16.is}: export it as UTF-8`));
    const bytes = this.isFirst && given.subarray(0, MARK.length).equals(MARK) ? given.subarray(3) : given;
    this.isFirst = false;
    const wrong = firstWrong(bytes);
    this.advance(wrong === -1 ? bytes : bytes.subarray(0, wrong));
    if (wrong === -1) return done(null, bytes);
    const byte = bytes[wrong]!;
    done(
      this.problem(
        byte === 0
          ? 'a zero byte: the file is UTF-16, or no text. Export it as UTF-8'
          : `byte 0x${byte.toString(16)} is not UTF-8: the file has a Windows or other encoding. Export it as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8`,
      ),
    );
  }

  private advance(bytes: Buffer): void {
    const last = bytes.lastIndexOf(NEWLINE);
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) this.line++;
    if (last !== -1) this.column = 1;
    this.column += [...bytes.subarray(last + 1).toString()].length;
  }

  private problem(what: string): FileProblem {
    return new FileProblem({ line: this.line, column: this.column }, what);
  }
}

/** @returns where the first byte is that is not part of a character; -1 for none */
function firstWrong(bytes: Buffer): number {
  const zero = bytes.indexOf(0);
  const text = zero === -1 ? bytes : bytes.subarray(0, zero);
  if (isUtf8(text)) return zero;
  let at = 0;
  while (isUtf8(text.subarray(at, at + lengthAt(text, at)))) at += lengthAt(text, at);
  return at;
}

/** The end of the last character that is whole, where the rest may be the beginning of one. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    if ((bytes[at]! & 0xc0) === 0x80) continue;
    return lengthAt(bytes, at) > back ? at : bytes.length;
  }
  return bytes.length;
}

function lengthAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]!;
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
